// Holds files that are dropped before the modules of the page stand; drop-anywhere takes them when it does. Without this
// the browser would leave the page and open the file. A plain script: modules come some requests later.
(() => {
  /** @type {{ items: object[], files: File[] } | null} */
  let held = null;
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const moved = (event) => { if (hasFiles(event)) event.preventDefault(); };
  const dropped = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const { items, files } = event.dataTransfer;
    // The lists empty when the event is over.
    held = { items: [...items].map((item) => ({ kind: item.kind, webkitGetAsEntry: kept(item.webkitGetAsEntry?.()) })), files: [...files] };
  };
  const kept = (entry) => () => entry;
  document.addEventListener("dragover", moved);
  document.addEventListener("drop", dropped);
  document.addEventListener("lockscope:takes-drops", (/** @type {CustomEvent} */ event) => {
    document.removeEventListener("dragover", moved);
    document.removeEventListener("drop", dropped);
    if (held) event.detail(held);
  }, { once: true });
})();
