// Spans of waiters as bars on one axis. data-source: id of a json_script with {window: {start, end, zone, dated},
// spans: [{node, thread, category (1..4 or null), start, end, seconds, text, href}], more (spans not listed, optional)}.
import { makeAxis, toPlace } from "../lib/axis.js";
import { duration, moment } from "../lib/format.js";
import { timeTicks } from "../lib/ticks.js";
import { make, px } from "./timeline/dom.js";

export default function spanGantt(host) {
  const data = JSON.parse(document.getElementById(host.dataset.source).textContent);
  const axis = makeAxis(data.window.start, data.window.end);
  const draw = () => {
    host.replaceChildren(...data.spans.map((span) => rowOf(span)), axisRow());
    const width = host.querySelector(".gantt-ticks").clientWidth;
    const ticks = timeTicks(axis, Math.max(2, Math.floor(width / 110)), data.window);
    host.querySelectorAll(".gantt-track").forEach((track, index) => fill(track, data.spans[index], ticks, width));
    host.querySelector(".gantt-axis .gantt-ticks").replaceChildren(...ticks.filter((tick) => tick.place < 0.97).map((tick) => label(tick, width)));
    if (data.more) host.append(make("p", "gantt-more", `${data.more} more in the table below`));
  };
  const fill = (track, span, ticks, width) => {
    const bar = barOf(span, data);
    track.append(...ticks.map((tick) => at(make("span", "grid-line"), tick.place * width)), bar);
    const left = Math.max(0, toPlace(axis, span.start) * width);
    const right = Math.min(width, toPlace(axis, span.end) * width);
    bar.style.left = px(left);
    bar.style.width = px(Math.max(3, right - left));
    if (bar.scrollWidth > bar.clientWidth + 1) outside(track, bar, span, left, right, width);
  };
  draw();
  let width = host.clientWidth;
  const resize = new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - width) < 2) return;
    width = host.clientWidth;
    draw();
  });
  resize.observe(host);
  return () => resize.disconnect();
}

// Words that do not fit into a short bar stand beside it.
function outside(track, bar, span, left, right, width) {
  const words = make("span", "span is-outside", bar.textContent);
  words.setAttribute("aria-hidden", "true");
  track.append(words);
  const fits = right + words.scrollWidth < width;
  bar.textContent = "";
  if (!fits && left < words.scrollWidth) return words.remove();
  words.style.left = px(fits ? right : left - words.scrollWidth);
}

function rowOf(span) {
  const row = make("div", "gantt-row");
  const thread = make("span", "gantt-thread", span.thread ?? "");
  thread.title = span.thread ?? "";
  row.append(make("span", "gantt-node", span.node ?? "–"), thread, make("div", "gantt-track"));
  return row;
}

function barOf(span, data) {
  const bar = make(span.href ? "a" : "span", `span is-${span.category ? `category-${span.category}` : "unknown"}`, [span.text, duration(span.seconds)].filter(Boolean).join(" · "));
  if (span.href) bar.href = span.href;
  bar.setAttribute("aria-label", `${span.node ?? ""} ${span.thread ?? ""}: ${span.text}, ${duration(span.seconds)} from ${moment(span.start, data.window)}`);
  bar.title = bar.getAttribute("aria-label");
  if (!span.href) bar.setAttribute("role", "img");
  return bar;
}

function axisRow() {
  const row = make("div", "gantt-row gantt-axis");
  row.setAttribute("aria-hidden", "true");
  row.append(make("span", "gantt-node"), make("span", "gantt-thread"), make("div", "gantt-ticks"));
  return row;
}

const at = (element, left) => { element.style.left = px(left); return element; };
const label = (tick, width) => at(make("span", "", tick.label), tick.place * width);
