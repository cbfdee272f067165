// The strip below the lanes: the whole case small, the window over it with two handles. Handles are sliders for the keyboard.
import { clamped } from "../../lib/axis.js";
import { moment } from "../../lib/format.js";
import { make } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

export function makeOverview(host, whole, bins, window, choose) {
  const strip = host.appendChild(make("div", "overview"));
  strip.append(drawBins(bins));
  const shades = [strip.appendChild(make("div", "overview-shade")), strip.appendChild(make("div", "overview-shade"))];
  const box = strip.appendChild(make("div", "overview-window"));
  const handles = ["start", "end"].map((side) => strip.appendChild(handle(side)));
  const length = whole.end - whole.start;
  let view = whole;
  let from = null;

  const toUs = (event) => whole.start + ((event.clientX - strip.getBoundingClientRect().left) / strip.clientWidth) * length;
  const begin = (side) => (event) => {
    if (event.button) return;
    event.preventDefault();
    event.stopPropagation();
    strip.setPointerCapture(event.pointerId);
    from = { side, at: toUs(event), view };
  };
  box.addEventListener("pointerdown", begin("both"));
  handles.forEach((one, index) => one.addEventListener("pointerdown", begin(index ? "end" : "start")));
  strip.addEventListener("pointerdown", begin("new"));
  strip.addEventListener("pointermove", (event) => {
    if (from) choose(moved(from, toUs(event), whole), true);
  });
  const end = (event) => {
    if (!from) return;
    const next = moved(from, toUs(event), whole);
    from = null;
    choose(next, false);
  };
  strip.addEventListener("pointerup", end);
  strip.addEventListener("pointercancel", end);
  handles.forEach((one, index) => one.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = (index ? view.end : view.start) + (by * length) / 50;
    choose(moved({ side: index ? "end" : "start", at: 0, view }, at, whole), false);
  }));

  return {
    show(next) {
      view = next;
      const left = ((view.start - whole.start) / length) * 100;
      const right = ((view.end - whole.start) / length) * 100;
      Object.assign(shades[0].style, { left: "0", width: `${left}%` });
      Object.assign(shades[1].style, { left: `${right}%`, right: "0" });
      Object.assign(box.style, { left: `${left}%`, width: `${right - left}%` });
      handles.forEach((one, index) => {
        const at = index ? view.end : view.start;
        one.style.left = `${index ? right : left}%`;
        one.setAttribute("aria-valuenow", String(Math.round(((at - whole.start) / length) * 100)));
        one.setAttribute("aria-valuetext", moment(at, window));
      });
    },
  };
}

function moved(from, at, whole) {
  const least = Math.max(1e6, (whole.end - whole.start) / 1000);
  const { view } = from;
  if (from.side === "both") return clamped({ start: view.start + at - from.at, end: view.end + at - from.at }, whole);
  if (from.side === "start") return { start: Math.round(Math.max(whole.start, Math.min(at, view.end - least))), end: view.end };
  if (from.side === "end") return { start: view.start, end: Math.round(Math.min(whole.end, Math.max(at, view.start + least))) };
  if (Math.abs(at - from.at) < least) return clamped({ start: at - (view.end - view.start) / 2, end: at + (view.end - view.start) / 2 }, whole);
  return clamped({ start: Math.max(whole.start, Math.min(at, from.at)), end: Math.min(whole.end, Math.max(at, from.at)) }, whole);
}

function handle(side) {
  const one = make("button", "overview-handle");
  one.type = "button";
  one.setAttribute("role", "slider");
  one.setAttribute("aria-label", side === "start" ? "Start of the window" : "End of the window");
  one.setAttribute("aria-valuemin", "0");
  one.setAttribute("aria-valuemax", "100");
  return one;
}

function drawBins(bins) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${bins.length || 1} 1`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  bins.forEach((share, index) => {
    if (!share) return;
    const rect = document.createElementNS(SVG, "rect");
    const height = 0.12 + 0.75 * share;
    for (const [name, value] of Object.entries({ x: index, y: 1 - height, width: 0.85, height })) rect.setAttribute(name, String(value));
    svg.append(rect);
  });
  return svg;
}

export { moved };
