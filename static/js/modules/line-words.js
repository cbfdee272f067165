// Explains words of a line: on a .file-frame with data-words (answers ?line=N with places data-from, data-to of each word).
// The pointer resting on a word shows its card; "e" shows all words of the chosen line; Escape or leaving closes it.
const REST_MS = 350;
const KEPT = 200;

export default function lineWords(frame) {
  const lines = frame.querySelector(".file-lines");
  const card = frame.appendChild(Object.assign(document.createElement("div"), { className: "words-card", hidden: true }));
  card.setAttribute("role", "tooltip");
  card.id = "line-words-card";
  const kept = new Map();
  let timer = 0;
  let asked = 0;

  const hide = () => { card.hidden = true; asked += 1; };
  const wordsOf = async (line) => {
    if (!kept.has(line)) {
      const url = new URL(frame.dataset.words, location.href);
      url.searchParams.set("line", line);
      const answer = await fetch(url, { headers: { "HX-Request": "true" } });
      if (!answer.ok) throw new Error(String(answer.status));
      if (kept.size > KEPT) kept.clear();
      kept.set(line, await answer.text());
    }
    return kept.get(line);
  };
  // The server's own markup of escaped text; the template element keeps anything in it from running.
  const show = async (row, offset, isAsked) => {
    const mine = (asked += 1);
    const holder = document.createElement("template");
    try {
      holder.innerHTML = await wordsOf(row.dataset.line);
    } catch {
      return;
    }
    if (mine !== asked) return;
    const list = holder.content.querySelector(".line-words");
    const words = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("[data-from]")]);
    if (offset !== null) words.filter((word) => offset < Number(word.dataset.from) || offset >= Number(word.dataset.to)).forEach((word) => word.remove());
    if (!list.querySelector("[data-from]") && !isAsked) { hide(); return; }
    card.replaceChildren(list);
    card.hidden = false;
    place(row);
  };
  const place = (row) => {
    const [box, line] = [frame.getBoundingClientRect(), row.getBoundingClientRect()];
    const above = line.top - box.top - card.offsetHeight - 6;
    card.style.top = `${above > 0 ? above : line.bottom - box.top + 6}px`;
  };

  const over = (event) => {
    clearTimeout(timer);
    const row = event.target.closest?.("code")?.closest(".line");
    if (!row) { if (!card.contains(event.target)) hide(); return; }
    timer = setTimeout(() => {
      const offset = offsetAt(row.querySelector("code"), event.clientX, event.clientY);
      if (offset === null) hide();
      else show(row, offset, false);
    }, REST_MS);
  };
  const leave = () => { clearTimeout(timer); hide(); };
  const key = (event) => {
    if (event.key === "Escape" && !card.hidden) { hide(); return; }
    if (event.key !== "e" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select") || document.querySelector("dialog[open]")) return;
    const row = lines.querySelector(".line.is-chosen");
    if (!row) return;
    event.preventDefault();
    row.scrollIntoView({ block: "nearest" });
    if (card.hidden) show(row, null, true);
    else hide();
  };
  frame.addEventListener("pointermove", over);
  frame.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", key);
  return () => { clearTimeout(timer); document.removeEventListener("keydown", key); };
}

// The place in the text of an element that lies under a point; null beside the text.
function offsetAt(code, x, y) {
  // Browsers have the one or the other.
  const at = /** @type {any} */ (document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y));
  const [node, within] = at ? [at.offsetNode ?? at.startContainer, at.offset ?? at.startOffset] : [null, 0];
  if (!node || !code.contains(node) || node.nodeType !== Node.TEXT_NODE) return null;
  const here = document.createRange();
  here.setStart(node, Math.max(0, within - 1));
  here.setEnd(node, Math.min(node.length, within + 1));
  const box = here.getBoundingClientRect();
  if (x < box.left - 2 || x > box.right + 2) return null;
  const before = document.createRange();
  before.setStart(code, 0);
  before.setEnd(node, within);
  return before.toString().length;
}
