// The lanes of boxes: findings as flags on poles, command runs as bars, stretches of the cluster as bands, notes as pins. Each box is a link, so it works
// with the keyboard and says what it is.
import { toPlace } from "../../lib/axis.js";
import { duration, moment } from "../../lib/format.js";
import { packRows } from "../../lib/rows.js";
import { make, px } from "./dom.js";

const NARROW_PX = 500; // on a phone the words of a short run would cover its neighbours

const kinds = {
  flags: { row: 18, top: 6, bottom: 8, build: flag, span: (item) => [item.start ?? item.end, item.start ?? item.end] },
  runs: { row: 19, top: 8, bottom: 6, build: run, span: (item) => [item.start ?? item.end, item.end ?? item.start] },
  bands: { row: 19, top: 8, bottom: 6, build: band, span: (item) => [item.start, item.end] },
  notes: { row: 24, top: 6, bottom: 6, build: pin, span: (item) => [item.at, item.at] },
};

function flag(item, number) {
  const box = make("a", `flag is-${item.severity ?? "low"}`);
  box.append(make("span", "title", item.title), make("span", "number", String(number)));
  box.title = item.more ? `${item.title}, and ${item.more} more of the same incident` : item.title;
  if (item.more) box.append(make("span", "more", `+${item.more}`));
  return box;
}

function run(item) {
  const box = make("a", `run is-${item.severity ?? "info"}`, duration(item.seconds));
  box.title = `${item.title}: ${duration(item.seconds)}`;
  return box;
}

// The bar is as wide as the stretch lasted; the words stand beside it and say nothing of time.
function band(item) {
  const box = make("a", `band is-${item.severity ?? "info"}`);
  const lasted = item.end > item.start ? `, ${duration(item.seconds)}` : "";
  box.append(make("i", "bar"), make("span", "title", `${item.title}${lasted}`));
  box.title = `${item.title}${lasted}`;
  return box;
}

function pin(item) {
  return make("a", "pin", `✎ ${item.title}`);
}

// What began before the axis and lasts into it stands at its edge.
function visible(kind, items, axis) {
  return items.map((item, index) => ({ item, number: item.number ?? index + 1, span: kind.span(item), until: item.end ?? kind.span(item)[1] }))
    .filter(({ span, until }) => span[0] != null && until >= axis.start && span[0] <= axis.end)
    .map((one) => ({ ...one, span: one.span.map((at) => Math.max(at, axis.start)) }));
}

export function boxLane(plot, laneKind) {
  const kind = kinds[laneKind];
  const host = plot.appendChild(make("div", "lane-boxes"));
  return {
    draw(lane, context) {
      host.replaceChildren(...context.ticks.map((tick) => gridLine(tick, context.plotWidth)));
      const shown = visible(kind, lane.items, context.axis).map((one) => ({ ...one, box: link(kind.build(one.item, one.number), one.item, context) }));
      host.append(...shown.map(({ box }) => box));
      const rows = place(shown, laneKind, context);
      const height = Math.max(context.least?.get(lane.id) ?? 0, kind.top + kind.bottom + kind.row * Math.max(1, rows));
      plot.style.height = px(height);
      if (laneKind === "flags") host.prepend(...poles(shown, height));
    },
    destroy: () => host.remove(),
  };
}

function gridLine(tick, width) {
  const line = make("span", "grid-line");
  line.style.left = px(tick.place * width);
  return line;
}

function link(box, item, context) {
  if (item.href) box.href = item.href;
  const start = item.start ?? item.at ?? item.end;
  box.setAttribute("aria-label", `${item.title}${start == null ? "" : `, ${moment(start, context.window)}`}`);
  return box;
}

const barOf = (box) => box.querySelector(".bar");

function place(shown, laneKind, context) {
  const width = context.plotWidth;
  const spans = shown.map(({ box, span }) => {
    const left = Math.max(0, toPlace(context.axis, span[0]) * width);
    const right = Math.min(width, toPlace(context.axis, span[1]) * width);
    const words = box.offsetWidth + 1;
    box.style.width = "";
    if (laneKind === "bands") barOf(box).style.width = px(Math.max(3, right - left));
    const isThin = laneKind === "runs" && width < NARROW_PX && right - left < words;
    box.classList.toggle("is-thin", isThin);
    const needs = isThin ? Math.max(8, right - left) : laneKind === "bands" ? words + Math.max(3, right - left) : Math.max(words, laneKind === "runs" ? right - left : 0);
    const turned = left + needs > width;
    if (laneKind === "bands" && turned) { // the words stand at the other side of the bar, which keeps its place
      const end = Math.min(width, left + Math.max(3, right - left));
      box.style.width = px(Math.min(needs, end));
      return { left: Math.max(0, end - needs), right: end, pole: left, turned, needs: Math.min(needs, end) };
    }
    return turned ? { left: Math.max(0, (laneKind === "flags" ? left : Math.max(left, width)) - needs), right: left, pole: left, turned, needs } : { left, right: left + needs, pole: left, turned, needs };
  });
  const rows = packRows(spans.map(({ left, needs }) => ({ left, right: left + needs })), 4, 4);
  shown.forEach((one, index) => {
    const { left, needs, turned, pole } = spans[index];
    Object.assign(one, { pole, row: rows[index] });
    one.box.classList.toggle("is-left", turned);
    one.box.style.left = px(left);
    one.box.style.zIndex = String(3 + shown.length - index); // above a fold; the gravest comes first and is never covered
    if (laneKind === "runs") one.box.style.width = px(needs);
    one.box.style.top = px(kinds[laneKind].top + rows[index] * kinds[laneKind].row);
  });
  return rows.length ? Math.max(...rows) + 1 : 1;
}

function poles(shown, height) {
  return shown.map(({ item, pole, row }) => {
    const top = kinds.flags.top + row * kinds.flags.row;
    const line = make("span", `flag-pole is-${item.severity ?? "low"}`);
    line.style.left = px(pole - 1);
    line.style.top = px(top);
    line.style.height = px(height - top - 3);
    return line;
  });
}
