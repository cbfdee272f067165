// The keys of every page. Nothing happens while the reader types in a field or holds a modifier.
import { openDialog } from "./dialog-opener.js";

const typing = (target) => target.closest?.("input, textarea, select, [contenteditable]");

export function reveal(element) {
  for (let fold = element.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) fold.open = true;
}

function step(selector, by, mark) {
  const rows = [...document.querySelectorAll(selector)].filter((row) => row.offsetParent !== null || row.getClientRects().length || row.closest("details:not([open])"));
  if (!rows.length) return false;
  const at = rows.findIndex((row) => row.classList.contains("is-current"));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by))];
  rows.forEach((row) => row.classList.toggle("is-current", row === next));
  reveal(next);
  if (mark) next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function openRow() {
  const row = document.querySelector("tr.is-current");
  /** @type {HTMLAnchorElement | null | undefined} */
  const link = row?.querySelector("a[href]");
  if (link && (document.activeElement === document.body || document.activeElement?.id === "content")) link.click();
  return Boolean(link);
}

function markRow() {
  /** @type {HTMLInputElement | null} */
  const box = document.querySelector("tr.is-current [name=mark]");
  box?.click();
  return Boolean(box);
}

function focusSearch() {
  const selectors = ["[data-search-here]", "[data-search]"];
  const fields = selectors.flatMap((one) => /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll(one)]));
  const field = fields.find((one) => one.offsetParent !== null);
  field?.focus();
  field?.select();
  return Boolean(field);
}

// Only what works on this page: a key that does nothing would be a riddle.
function openSheet() {
  const sheet = document.getElementById("keys");
  sheet.querySelectorAll("[data-needs]").forEach((/** @type {HTMLElement} */ row) => { row.hidden = !document.querySelector(row.dataset.needs); });
  openDialog(sheet);
  return true;
}

const keys = {
  "/": focusSearch,
  "?": openSheet,
  "j": () => step("[data-rows] tbody tr, tbody[data-rows] tr", 1),
  "k": () => step("[data-rows] tbody tr, tbody[data-rows] tr", -1),
  "Enter": openRow,
  "x": markRow,
  "[": () => step("[data-finding]", -1, true),
  "]": () => step("[data-finding]", 1, true),
  "n": () => {
    const free = document.dispatchEvent(new CustomEvent("lockscope:add-note", { cancelable: true, detail: {} }));
    return !free;
  },
};

// "g" and a letter go to a tab of the case; after a second the "g" is forgotten.
const tabs = { t: "timeline", w: "waiters", l: "locks", g: "graph", s: "settings", f: "files", n: "notes", h: "history" };
const GOING_MS = 1000;
let goingUntil = 0;

function goes(key) {
  const isGoing = performance.now() < goingUntil;
  goingUntil = !isGoing && key === "g" ? performance.now() + GOING_MS : 0;
  /** @type {HTMLAnchorElement | null} */
  const tab = isGoing && tabs[key] ? document.querySelector(`[data-tab="${tabs[key]}"]`) : null;
  if (tab) location.assign(tab.href);
  return isGoing && Boolean(tabs[key]);
}

export default function keyboard() {
  const listener = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (document.querySelector("dialog[open]") && event.key !== "Escape") return;
    if (goes(event.key)) {
      event.preventDefault();
      return;
    }
    if (keys[event.key]?.() && event.key !== "Enter") event.preventDefault();
  };
  document.addEventListener("keydown", listener);
  return () => document.removeEventListener("keydown", listener);
}
