// Words for screen readers. As a module on an element: its text is announced whenever it changes (data-module="live").
let region = null;

export function announce(text) {
  region ??= document.getElementById("live");
  if (region && region.textContent !== text) region.textContent = text;
}

export default function live(element) {
  let last = element.textContent.trim();
  const observer = new MutationObserver(() => {
    const now = (element.dataset.liveText ?? element.textContent).trim().replace(/\s+/g, " ");
    if (now && now !== last) announce(now);
    last = now;
  });
  observer.observe(element, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ["data-live-text"] });
  return () => observer.disconnect();
}
