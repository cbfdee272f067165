// A button that copies data-copy, the text of the element named by data-copy-from, what the address data-copy-url
// gives, or with data-copy-here the address of the page as it is seen, and says so for two seconds.
import { announce } from "./live.js";

export default function copyButton(button) {
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  let timer = 0;
  button.addEventListener("click", async () => {
    const from = button.dataset.copyFrom;
    const source = /** @type {HTMLInputElement | null} */ (from ? document.getElementById(from) : null);
    const url = button.dataset.copyUrl;
    const text = "copyHere" in button.dataset ? location.href : url ? await textAt(url) : source ? (source.value ?? source.textContent) : button.dataset.copy;
    if (text === null) {
      announce("The text could not be loaded; try again in a moment");
      return;
    }
    const done = await copyText(text);
    label.textContent = done ? "copied" : "press Ctrl-C";
    button.classList.toggle("is-done", done);
    announce(done ? "Copied" : "The browser does not allow copying here; select the text and press Ctrl-C");
    clearTimeout(timer);
    timer = setTimeout(() => {
      label.textContent = before;
      button.classList.remove("is-done");
    }, 2000);
  });
}

/** @param {string} url @returns {Promise<string | null>} */
async function textAt(url) {
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.text() : null;
  } catch {
    return null;
  }
}

// Plain http on a LAN address has no navigator.clipboard, so the old way stays as the second one.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "visually-hidden";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
