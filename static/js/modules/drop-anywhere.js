// Files dropped anywhere go to the upload form of the page, else to that of the case or of a new case, in a dialog. Without
// this the browser would leave the page and open the file.
import { openDialog } from "./dialog-opener.js";
import { droppedFiles } from "./upload/dropped.js";

const FORM = "form[data-module='upload']";
const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

export default function dropAnywhere() {
  let depth = 0;
  const over = (is) => {
    document.documentElement.classList.toggle("takes-drop", is);
    document.querySelector(FORM)?.dispatchEvent(new CustomEvent("lockscope:over", { detail: is }));
  };
  const entered = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth += 1;
    if (depth === 1 && target()) over(true);
  };
  const left = (event) => {
    if (!hasFiles(event)) return;
    depth = Math.max(0, depth - 1);
    if (!depth) over(false);
  };
  const moved = (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = target() ? "copy" : "none";
  };
  const dropped = async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    over(false);
    await taken(event.dataTransfer);
  };
  const heard = { dragenter: entered, dragleave: left, dragover: moved, drop: dropped };
  Object.entries(heard).forEach(([name, listener]) => document.addEventListener(name, listener));
  document.dispatchEvent(new CustomEvent("lockscope:takes-drops", { detail: taken }));
  return () => Object.entries(heard).forEach(([name, listener]) => document.removeEventListener(name, listener));
}

// The form may stand without its module yet: the page is still being made.
async function taken(transfer) {
  const to = target();
  if (!to) return;
  const files = await droppedFiles(transfer);
  await mounted();
  const form = to instanceof HTMLFormElement ? to : await formOf(to);
  form?.dispatchEvent(new CustomEvent("lockscope:files", { detail: files }));
}

const mounted = () => document.documentElement.dataset.mounted
  ? Promise.resolve()
  : new Promise((resolve) => { document.addEventListener("lockscope:mounted", resolve, { once: true }); });

/** @returns {HTMLFormElement | HTMLAnchorElement | null} */
const target = () => document.querySelector(FORM) ?? document.querySelector("a[data-takes-drops='case']") ?? document.querySelector("a[data-takes-drops]");

// The form of another page in a dialog of this one; where it does not come, that page itself says why.
async function formOf(link) {
  const answer = await fetch(link.href, { headers: { Accept: "text/html" } }).catch(() => null);
  const page = answer?.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
  const found = page?.querySelector(FORM);
  if (!found) {
    location.assign(link.href);
    return null;
  }
  const form = /** @type {HTMLFormElement} */ (document.importNode(found, true));
  document.body.append(dialogOf(link.textContent.trim(), form));
  (await import("./upload.js")).default(form);
  openDialog(form.closest("dialog"));
  return form;
}

function dialogOf(title, form) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog is-wide";
  dialog.setAttribute("aria-label", title);
  const head = document.createElement("div");
  head.className = "dialog-head";
  const name = document.createElement("h2");
  name.textContent = title;
  const close = document.createElement("button");
  close.className = "button is-small";
  close.type = "button";
  close.dataset.closes = "";
  close.textContent = "Close";
  head.append(name, close);
  dialog.append(head, form);
  return dialog;
}
