// The note form (a <form> in a <dialog> or on the page). "lockscope:add-note" with {at, text, page} opens it and fills the
// hidden field [name=at_us] and the words in [data-note-at]; a button [data-unpin] clears the moment.
import { openDialog } from "./dialog-opener.js";

export default function noteForm(form) {
  const at = form.querySelector("[name=at_us]");
  const words = form.querySelector("[data-note-at]");
  const unpinned = words?.textContent ?? "";
  const pin = (us, text) => {
    if (at) at.value = us ?? "";
    if (words) words.textContent = us == null ? unpinned : text;
  };
  const open = (event) => {
    event.preventDefault();
    if (event.detail.at != null) pin(event.detail.at, event.detail.text);
    const dialog = form.closest("dialog");
    if (dialog) openDialog(dialog);
    form.querySelector("textarea, input[type=text]")?.focus();
  };
  form.querySelector("[data-unpin]")?.addEventListener("click", () => pin(null, ""));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  document.addEventListener("lockscope:add-note", open);
  return () => document.removeEventListener("lockscope:add-note", open);
}
