// A case that is watched runs along: when a sample changed the diagnosis (data-newer), the page is fetched again and its content
// replaced, at the same zoom. A reader who writes or has a dialog open is left alone until the next one.
import { saidAlready } from "./request-errors.js";

export default function liveWatch(strip) {
  const isBusy = document.querySelector("dialog[open]") || document.activeElement?.matches("input, textarea, select");
  if (strip.dataset.newer !== "yes" || isBusy) return;
  const address = `${location.pathname}${location.search}`;
  /** @type {any} */ (window).htmx.ajax("GET", address, { target: "#content", select: "#content", swap: "outerHTML show:none" }).catch(saidAlready);
}
