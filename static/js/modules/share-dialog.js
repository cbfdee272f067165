// The links of a case, on their own page or in a dialog over the timeline. Over the timeline the form takes the view of the
// moment it is sent ([name=view]); a fresh link (input[data-fresh-link]) is copied as soon as it arrives.
import { copyText } from "./copy-button.js";
import { announce } from "./live.js";

export default function shareDialog(dialog) {
  const takeView = () => {
    const field = dialog.querySelector("[name=view]");
    if (field && hasView()) field.value = viewNow();
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
    if ("view" in event.detail.parameters && hasView()) event.detail.parameters.view = viewNow();
  });
  dialog.addEventListener("htmx:afterSwap", takeLink);
}

export const hasView = () => document.querySelector("[data-module~=lane-chart]") !== null;
export const viewNow = () => location.search.replace(/^\?/, "");
