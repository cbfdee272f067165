// The Share link of a case opens its page as a dialog over what is to be shared. With Ctrl, or without JavaScript, it is a link.
import { openDialog } from "./dialog-opener.js";
import { saidAlready } from "./request-errors.js";
import { hasView, viewNow } from "./share-dialog.js";

export default function shareOpener(link) {
  let dialog = null;
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!dialog && document.getElementById("share")) return; // on the page itself
    event.preventDefault();
    const url = new URL(link.href);
    dialog ??= document.body.appendChild(makeDialog(url.pathname.split("/").at(-3)));
    if (hasView()) url.searchParams.set("view", viewNow());
    globalThis.htmx.ajax("GET", `${url.pathname}${url.search}`, { target: dialog.querySelector(".dialog-body"), swap: "innerHTML" }).catch(saidAlready);
    openDialog(dialog);
  });
  return () => dialog?.remove();
}

function makeDialog(key) {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog is-share";
  dialog.setAttribute("aria-labelledby", "share-title");
  const head = document.createElement("div");
  head.className = "dialog-head";
  const words = document.createElement("div");
  const title = Object.assign(document.createElement("h2"), { id: "share-title", textContent: `Share ${key}` });
  words.append(title, Object.assign(document.createElement("p"), { textContent: "A link is read-only and shows the view that it was made from." }));
  const close = Object.assign(document.createElement("button"), { type: "button", className: "button is-small", textContent: "Close" });
  close.dataset.closes = "";
  head.append(words, close);
  const body = document.createElement("div");
  body.className = "dialog-body";
  dialog.append(head, body);
  return dialog;
}
