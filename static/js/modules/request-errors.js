// What went wrong with a request made in the background, in words: where its answer would have stood, with a way to try again; in the
// corner of the page where that place is out of sight or there is none.
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
  const done = () => { toast.hidden = true; };
  const failed = (event, text) => {
    const notice = noticeFor(event.detail);
    notice?.replaceChildren(text, ...again(event.detail, notice));
    if (!notice || !inSight(notice)) show(text);
  };
  body.addEventListener("htmx:responseError", (event) => failed(event, wordsOf(event.detail.xhr) || requestErrorText(event.detail.xhr.status)));
  body.addEventListener("htmx:sendError", (event) => failed(event, requestErrorText(0)));
  body.addEventListener("htmx:beforeSwap", (event) => { if (event.detail.shouldSwap) noticeBefore(placeOf(event.detail.target))?.remove(); });
  body.addEventListener("htmx:afterOnLoad", (event) => { if (event.detail.successful) done(); });
  document.addEventListener("lockscope:error", (/** @type {CustomEvent} */ event) => show(event.detail));
  toast.addEventListener("click", done);
}

// For callers of htmx.ajax: it rejects with nothing when an answer stays away, which stands on the page by then.
export function saidAlready(error) {
  if (error) throw error;
}

// Inside a table nothing but rows may stand.
const placeOf = (target) => target?.closest?.("table") ?? target;

function noticeBefore(place) {
  const before = place?.previousElementSibling;
  return before?.matches("[data-request-error]") ? before : null;
}

function noticeFor({ target }) {
  const place = placeOf(target);
  if (!place?.isConnected || place === document.body) return null;
  if (noticeBefore(place)) return noticeBefore(place);
  const notice = document.createElement("p");
  notice.className = "notice is-bad";
  notice.dataset.requestError = "";
  notice.setAttribute("role", "alert");
  place.before(notice);
  return notice;
}

// Reading may be repeated; what changes something may have been done already.
function again({ elt, target, requestConfig }, notice) {
  if (requestConfig?.verb !== "get") return [];
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button is-small";
  button.textContent = "Try again";
  button.addEventListener("click", () => {
    notice.remove();
    globalThis.htmx.ajax("GET", requestConfig.path, { source: elt.isConnected ? elt : document.body, target, swap: elt.getAttribute?.("hx-swap") ?? "innerHTML" }).catch(saidAlready);
  });
  return [" ", button];
}

function inSight(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

// The server says what to do in a fragment with a notice, or in one plain line.
function wordsOf(xhr) {
  const type = xhr.getResponseHeader("Content-Type") ?? "";
  if (type.startsWith("text/plain")) return xhr.responseText.trim().slice(0, 400);
  if (!type.startsWith("text/html")) return "";
  const notice = new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector(".notice");
  return notice?.textContent.trim().replace(/\s+/g, " ").slice(0, 400) ?? "";
}
