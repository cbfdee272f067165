// The share dialog: a form inside it takes the view of the page at the moment it is sent ([name=view]), and a fresh link
// (input[data-fresh-link]) is copied as soon as it arrives.
import { copyText } from "./copy-button.js";
import { announce } from "./live.js";

export default function shareDialog(dialog) {
  const takeView = () => {
    const field = dialog.querySelector("[name=view]");
    if (field) field.value = location.search.replace(/^\?/, "");
  };
  const takeLink = async () => {
    const input = dialog.querySelector("input[data-fresh-link]");
    if (!input || input.dataset.taken) return;
    input.dataset.taken = "yes";
    input.focus();
    input.select();
    const said = dialog.querySelector("[data-link-said]");
    const done = await copyText(input.value);
    const words = done ? "Link created and copied. It is shown this once." : "Link created. Copy it now: it is shown this once.";
    if (said) said.textContent = words;
    announce(words);
  };
  takeView();
  takeLink();
  dialog.addEventListener("submit", takeView, true);
  dialog.addEventListener("htmx:configRequest", (event) => {
    if ("view" in event.detail.parameters) event.detail.parameters.view = location.search.replace(/^\?/, "");
  });
  dialog.addEventListener("htmx:afterSwap", takeLink);
}
