// What went wrong with a request made in the background, in words, in the corner of the page.
import { requestErrorText } from "../lib/format.js";

export default function requestErrors(body) {
  const toast = document.getElementById("toast");
  let timer = 0;
  const show = (text) => {
    toast.textContent = text;
    toast.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => { toast.hidden = true; }, 12000);
  };
  const answered = (event) => show(wordsOf(event.detail.xhr) || requestErrorText(event.detail.xhr.status));
  const unreachable = () => show(requestErrorText(0));
  const done = () => { toast.hidden = true; };
  body.addEventListener("htmx:responseError", answered);
  body.addEventListener("htmx:sendError", unreachable);
  body.addEventListener("htmx:afterOnLoad", (event) => { if (event.detail.successful) done(); });
  document.addEventListener("lockscope:error", (event) => show(event.detail));
  toast.addEventListener("click", done);
}

// The server says what to do in a fragment with a notice, or in one plain line.
function wordsOf(xhr) {
  const type = xhr.getResponseHeader("Content-Type") ?? "";
  if (type.startsWith("text/plain")) return xhr.responseText.trim().slice(0, 400);
  if (!type.startsWith("text/html")) return "";
  const notice = new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector(".notice");
  return notice?.textContent.trim().replace(/\s+/g, " ").slice(0, 400) ?? "";
}
