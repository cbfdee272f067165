// The story of an incident: opening a sentence shows its lines and zooms the lanes to its time; the arrow keys step through.
export default function story(card) {
  const steps = /** @type {HTMLDetailsElement[]} */ ([...card.querySelectorAll("details")]);
  const zoomOf = (step) => {
    const query = new URLSearchParams(step.dataset.zoom ?? "");
    return { start: Number(query.get("from")), end: Number(query.get("to")) };
  };
  const zoom = (step) => step.dataset.zoom && document.dispatchEvent(new CustomEvent("lockscope:look", { detail: zoomOf(step), cancelable: true }));

  const toggled = (event) => { if (event.target.open) zoom(event.target); };
  const stepped = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = steps.findIndex((step) => step.contains(document.activeElement));
    // Where nothing has the focus yet, the first story of the page begins.
    const begins = by === 1 && document.activeElement === document.body && document.querySelector(".story details") === steps[0];
    if (!by || (at < 0 && !begins) || event.ctrlKey || event.metaKey || event.altKey) return;
    const next = steps[at + by];
    if (!next) return;
    event.preventDefault();
    next.open = true;
    next.querySelector("summary").focus();
  };
  const linked = (event) => {
    const link = event.target.closest("a[href^='?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // An answered event means that the lanes are on the page and follow.
    if (!document.dispatchEvent(new CustomEvent("lockscope:look", { detail: zoomOf(link.closest("details")), cancelable: true }))) {
      event.preventDefault();
      document.querySelector(".timeline")?.scrollIntoView({ block: "nearest" });
    }
  };
  card.addEventListener("toggle", toggled, { capture: true });
  document.addEventListener("keydown", stepped);
  card.addEventListener("click", linked);
  return () => {
    card.removeEventListener("toggle", toggled, { capture: true });
    document.removeEventListener("keydown", stepped);
    card.removeEventListener("click", linked);
  };
}
