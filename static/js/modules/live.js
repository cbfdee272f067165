// Words for screen readers. As a module on an element: its text is announced whenever it changes (data-module="live").
let region = null;
const said = new Map();

export function announce(text) {
  region ??= document.getElementById("live");
  if (region && region.textContent !== text) region.textContent = text;
}

export default function live(element) {
  const name = element.id || element.getAttribute("aria-label") || element.className;
  const words = () => (element.dataset.liveText ?? element.textContent).trim().replace(/\s+/g, " ");
  // htmx replaces the element, so what was said before is kept by name, not by element.
  const renew = () => {
    const now = words();
    if (said.has(name) && now && said.get(name) !== now) announce(now);
    said.set(name, now);
  };
  renew();
  const observer = new MutationObserver(renew);
  observer.observe(element, { childList: true, characterData: true, subtree: true, attributes: true, attributeFilter: ["data-live-text"] });
  return () => observer.disconnect();
}
