// Runs through the dumps of the wait graph. Beside a <select name="at"> in the same card, whose choices it walks; data-target: the
// element that the answer replaces. Without a script the select alone does it.
import { announce } from "./live.js";
import { saidAlready } from "./request-errors.js";

const SETTLE_MS = 250;
const STEP_MS = 1400;

export default function timeSlider(host) {
  const select = host.closest(".card").querySelector("select[name=at]");
  const range = host.querySelector("input");
  const words = host.querySelector("output");
  const play = host.querySelector("[data-plays]");
  if (!select) return undefined;
  let timer = 0;
  const at = () => select.options[Number(range.value)];
  const say = () => { words.textContent = at().textContent.trim(); };
  range.value = String(Math.max(0, select.selectedIndex));
  say();
  if (sessionStorage.getItem("graph-plays")) timer = setTimeout(next, STEP_MS);
  mark();

  function load() {
    const query = new URLSearchParams(location.search);
    if (at().value) query.set("at", at().value);
    else query.delete("at");
    const address = `${location.pathname}${query.size ? `?${query}` : ""}`;
    history.replaceState(history.state, "", address); // a run through sixty dumps is no sixty steps back
    announce(words.textContent);
    /** @type {any} */ (window).htmx.ajax("GET", address, { target: host.dataset.target, select: host.dataset.target, swap: "outerHTML" }).catch(saidAlready);
  }

  function next() {
    const last = Number(range.value) >= Number(range.max);
    if (last) { stop(); return; }
    range.value = String(Number(range.value) + 1);
    say();
    load();
  }

  function stop() {
    sessionStorage.removeItem("graph-plays");
    clearTimeout(timer);
    mark();
  }

  function mark() { play.textContent = sessionStorage.getItem("graph-plays") ? "❚❚ Stop" : "▶ Play"; }

  range.addEventListener("input", () => { stop(); say(); timer = setTimeout(load, SETTLE_MS); });
  play.addEventListener("click", () => {
    if (sessionStorage.getItem("graph-plays")) { stop(); return; }
    sessionStorage.setItem("graph-plays", "yes");
    if (Number(range.value) >= Number(range.max)) range.value = "0";
    mark();
    next();
  });
  return () => clearTimeout(timer);
}
