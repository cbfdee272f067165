// Mounts every [data-module] of the page, and of whatever htmx swaps in later. A module's default export takes its element
// and may return a function that undoes it; that function runs before the element leaves the page.
const modules = {
  "api-try": () => import("./modules/api-try.js"),
  "case-marks": () => import("./modules/case-marks.js"),
  "copy-button": () => import("./modules/copy-button.js"),
  "dialog-opener": () => import("./modules/dialog-opener.js"),
  "drop-anywhere": () => import("./modules/drop-anywhere.js"),
  "file-viewer": () => import("./modules/file-viewer.js"),
  "fold": () => import("./modules/fold.js"),
  "hints": () => import("./modules/hints.js"),
  "keyboard": () => import("./modules/keyboard.js"),
  "lane-chart": () => import("./modules/lane-chart.js"),
  "line-words": () => import("./modules/line-words.js"),
  "live": () => import("./modules/live.js"),
  "live-watch": () => import("./modules/live-watch.js"),
  "menu": () => import("./modules/menu.js"),
  "note-form": () => import("./modules/note-form.js"),
  "passkey": () => import("./modules/passkey.js"),
  "print-button": () => import("./modules/print-button.js"),
  "relative-time": () => import("./modules/relative-time.js"),
  "request-errors": () => import("./modules/request-errors.js"),
  "share-dialog": () => import("./modules/share-dialog.js"),
  "share-opener": () => import("./modules/share-opener.js"),
  "span-gantt": () => import("./modules/span-gantt.js"),
  "story": () => import("./modules/story.js"),
  "submit-on-change": () => import("./modules/submit-on-change.js"),
  "time-slider": () => import("./modules/time-slider.js"),
  "upload": () => import("./modules/upload.js"),
  "wait-graph": () => import("./modules/wait-graph.js"),
};

const mounted = new WeakMap();

async function mount(element) {
  if (mounted.has(element)) return;
  const undo = [];
  mounted.set(element, undo);
  for (const name of element.dataset.module.split(/\s+/)) {
    if (!(name in modules)) continue;
    const module = await modules[name]();
    const stop = module.default(element);
    if (typeof stop === "function") undo.push(stop);
  }
}

function mountAll(root) {
  if (root.matches?.("[data-module]")) mount(root);
  root.querySelectorAll("[data-module]").forEach(mount);
}

document.addEventListener("htmx:load", (/** @type {CustomEvent} */ event) => mountAll(event.detail.elt));
document.addEventListener("htmx:beforeCleanupElement", (event) => {
  mounted.get(event.target)?.forEach((stop) => stop());
  mounted.delete(event.target);
});
// The root says when the page's own modules stand, for whoever drives the page by keys or a script.
Promise.all([...document.querySelectorAll("[data-module]")].map(mount)).finally(() => {
  document.documentElement.dataset.mounted = "yes";
  document.dispatchEvent(new CustomEvent("lockscope:mounted"));
});
