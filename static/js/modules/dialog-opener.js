// A button with data-opens="id" shows that <dialog>; [data-closes] inside it and a click on the backdrop close it.
export default function dialogOpener(button) {
  button.addEventListener("click", () => openDialog(document.getElementById(button.dataset.opens)));
}

export function openDialog(dialog) {
  if (!dialog || dialog.open) return;
  if (!dialog.dataset.wired) {
    dialog.dataset.wired = "yes";
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog || event.target.closest("[data-closes]")) dialog.close();
    });
  }
  dialog.closest("details")?.removeAttribute("open");
  dialog.showModal();
  dialog.querySelector("[autofocus], input:not([type=hidden]), textarea, button")?.focus();
}
