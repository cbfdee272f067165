// The raw text of a file in windows: whatever its size, a few hundred lines are in the page. On .file-frame:
//   data-url     answers ?start=N&count=M with .line elements          data-first data-last   what is loaded
//   data-lines   lines of the file, empty while not counted            data-marks             JSON list of marked lines
// A click on a number puts ?line=N#LN into the address, with shift ?line=A-B#LA. Anywhere in the card: [data-next-mark]
// [data-previous-mark] [data-copy-lines] [data-copy-link], [data-file-line] with the number of the chosen line or that in
// view, [data-of-line], a link whose line is that one, and [data-wrap], a box that wraps long lines (key z).
import { thousands } from "../lib/format.js";
import { extended, nextMark, parseRange, previousMark, rangeText, windowAfter, windowBefore } from "../lib/line-range.js";
import { copyText } from "./copy-button.js";
import { announce } from "./live.js";

const WINDOW = 400;
const MOST_LINES = 2400;

export default function fileViewer(frame) {
  const card = frame.closest(".card") ?? frame;
  const view = frame.querySelector(".file-view");
  const lines = frame.querySelector(".file-lines");
  const total = frame.dataset.lines ? Number(frame.dataset.lines) : null;
  const marks = JSON.parse(frame.dataset.marks || "[]").sort((a, b) => a - b);
  const loaded = { first: Number(frame.dataset.first), last: Number(frame.dataset.last), end: false };
  let range = parseRange(new URLSearchParams(location.search).get("line"));
  let busy = false;
  let topLine = loaded.first;

  const numberOf = (element) => Number(element.closest(".line")?.dataset.line);
  const row = (line) => lines.querySelector(`[data-line="${line}"]`);

  const choose = (next) => {
    range = next;
    paint();
    const params = new URLSearchParams(location.search);
    params.set("line", rangeText(range));
    const address = `${location.pathname}?${params}#L${range.first}`;
    if (address !== `${location.pathname}${location.search}${location.hash}`) history.pushState(null, "", address);
    announce(range.first === range.last ? `Line ${range.first}` : `Lines ${range.first} to ${range.last}`);
  };
  /** @type {HTMLInputElement | null} */
  const wrap = card.querySelector("[data-wrap]");
  const wrapped = () => { // what is read stays in view
    const top = row(topLine);
    if (range && row(range.first)) row(range.first).scrollIntoView({ block: "center" });
    else if (top) view.scrollTop = top.offsetTop;
    here();
  };
  const paint = () => {
    for (const line of lines.children) {
      const number = Number(line.dataset.line);
      line.classList.toggle("is-chosen", range !== null && number >= range.first && number <= range.last);
    }
  };

  const load = async (window, before) => {
    if (busy || !window) return;
    busy = true;
    try {
      const url = new URL(frame.dataset.url, location.href);
      url.searchParams.set("start", window.start);
      url.searchParams.set("count", window.count);
      const answer = await fetch(url, { headers: { "X-Requested-With": "fetch" } });
      if (!answer.ok) throw new Error(String(answer.status));
      insert(await answer.text(), before);
    } catch {
      announce("The next lines could not be loaded; scroll again to retry");
    } finally {
      busy = false;
    }
  };
  // The server's own markup of escaped lines; the template element keeps anything in it from running.
  const insert = (html, before) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const rows = [...holder.content.querySelectorAll(".line")];
    if (!rows.length) { loaded.end = loaded.end || !before; return; }
    const height = view.scrollHeight;
    if (before) { lines.prepend(...rows); view.scrollTop += view.scrollHeight - height; } else lines.append(...rows);
    trim(before);
    loaded.first = Number(lines.firstElementChild.dataset.line);
    loaded.last = Number(lines.lastElementChild.dataset.line);
    paint();
    here();
  };
  const trim = (before) => {
    const height = view.scrollHeight;
    while (lines.childElementCount > MOST_LINES) (before ? lines.lastElementChild : lines.firstElementChild).remove();
    if (!before) view.scrollTop -= height - view.scrollHeight;
    if (before) loaded.end = false;
  };

  const go = (line) => {
    if (line === null) return;
    if (row(line)) { row(line).scrollIntoView({ block: "center" }); choose({ first: line, last: line }); return; }
    const params = new URLSearchParams(location.search);
    params.set("line", String(line));
    location.assign(`${location.pathname}?${params}#L${line}`);
  };
  const at = () => range?.first ?? middleLine();
  const middleLine = () => {
    const box = view.getBoundingClientRect();
    const under = document.elementFromPoint(box.left + 20, box.top + box.height / 2);
    return under ? numberOf(under) || loaded.first : loaded.first;
  };

  const strip = frame.querySelector(".file-marks");
  const window = strip?.appendChild(Object.assign(document.createElement("span"), { className: "file-here" }));
  // Lines that wrap differ in height: the one at a height is looked for by halves.
  const lineAt = (height) => {
    let low = 0;
    let high = lines.childElementCount;
    while (low < high) {
      const middle = (low + high) >> 1;
      const line = /** @type {HTMLElement} */ (lines.children[middle]);
      if (line.offsetTop + line.offsetHeight <= height) low = middle + 1; else high = middle;
    }
    return loaded.first + low;
  };
  const here = () => {
    const count = total ?? loaded.last;
    const top = lineAt(view.scrollTop);
    topLine = top;
    const shown = lineAt(view.scrollTop + view.clientHeight) - top;
    if (window) Object.assign(window.style, { top: `${Math.min(99, ((top - 1) / count) * 100)}%`, height: `${Math.min(100, (shown / count) * 100)}%` });
    const number = range && row(range.first) ? range.first : top;
    card.querySelectorAll("[data-file-line]").forEach((one) => { one.textContent = thousands(number); });
    card.querySelectorAll("[data-of-line]").forEach((link) => { link.href = link.href.replace(/([?&]line=)\d+/, `$1${number}`); });
  };
  const scrolled = () => {
    here();
    if (view.scrollTop < 400) load(windowBefore(loaded.first, WINDOW), true);
    else if (view.scrollTop + view.clientHeight > view.scrollHeight - 400 && !loaded.end) load(windowAfter(loaded.last, WINDOW, total), false);
  };

  for (const mark of marks.slice(0, 2000)) strip?.append(markLink(mark, total ?? loaded.last, go));
  lines.addEventListener("click", (event) => {
    const number = event.target.closest(".line-number");
    if (!number) return;
    event.preventDefault();
    choose(event.shiftKey ? extended(range, numberOf(number)) : extended(null, numberOf(number)));
    here();
  });
  view.addEventListener("scroll", scrolled, { passive: true });
  const on = (name, act) => card.querySelectorAll(`[data-${name}]`).forEach((one) => one.addEventListener("click", (event) => { event.preventDefault(); act(); }));
  on("next-mark", () => go(nextMark(marks, at())));
  on("previous-mark", () => go(previousMark(marks, at())));
  on("copy-lines", () => copyChosen());
  on("copy-link", async () => announce((await copyText(location.href)) ? "Link copied" : "Copy the address from the browser's bar"));
  const copyChosen = async () => {
    const chosen = [...lines.querySelectorAll(".line.is-chosen code")].map((code) => code.textContent).join("\n");
    announce(chosen && (await copyText(`${chosen}\n${location.href}\n`)) ? "Lines and their link copied" : "Click a line number first");
  };
  const key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select") || document.querySelector("dialog[open]")) return;
    if (event.key === "z" && wrap && !event.defaultPrevented) { event.preventDefault(); wrap.click(); }
    if (event.key === "]" || event.key === "[") {
      event.preventDefault();
      go(event.key === "]" ? nextMark(marks, at()) : previousMark(marks, at()));
    }
  };
  document.addEventListener("keydown", key, { capture: true });

  view.querySelectorAll(".file-edge").forEach((edge) => { edge.hidden = true; }); // links for readers without JavaScript
  if (wrap) {
    wrap.checked = kept("wrap") === "yes";
    wrap.addEventListener("change", () => {
      keep("wrap", wrap.checked ? "yes" : "");
      announce(wrap.checked ? "Long lines wrap" : "Lines do not wrap");
      wrapped();
    });
  }
  paint();
  const wanted = range ? row(range.first) : lines.querySelector("mark")?.closest(".line");
  wanted?.scrollIntoView({ block: "center" });
  const section = card.querySelector(".section-list [aria-current]");
  const side = section?.closest(".file-side");
  if (side) side.scrollTop = section.offsetTop - side.offsetTop - side.clientHeight / 2; // the list alone moves, not the page
  here();
  const back = () => {
    const named = parseRange(new URLSearchParams(location.search).get("line"));
    if (rangeText(named ?? { first: 0, last: 0 }) === rangeText(range ?? { first: 0, last: 0 })) return;
    if (named && !row(named.first)) return location.reload();
    range = named;
    paint();
    if (named) row(named.first).scrollIntoView({ block: "nearest" });
  };
  addEventListener("popstate", back);
  return () => {
    document.removeEventListener("keydown", key, { capture: true });
    removeEventListener("popstate", back);
  };
}

// What the reader chose for all files, where the browser keeps it.
function kept(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}
function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* it holds for this page then */ }
}

function markLink(mark, total, go) {
  const link = document.createElement("a");
  link.href = `?line=${mark}#L${mark}`;
  link.tabIndex = -1;
  link.title = `Line ${mark}`;
  link.setAttribute("aria-hidden", "true");
  link.style.top = `${Math.min(99.5, ((mark - 1) / total) * 100)}%`;
  link.addEventListener("click", (event) => { event.preventDefault(); go(mark); });
  return link;
}
