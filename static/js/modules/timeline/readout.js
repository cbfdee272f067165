// The cross-hair and the one card that reads all lanes at that moment.
import { barAt, itemsAt, nearestValue } from "../../lib/hit.js";
import { duration, figure, moment, shortDuration } from "../../lib/format.js";
import { columnAt, heatColour, worstAt } from "../../lib/heat.js";
import { sampleIndex, usualStep } from "../../lib/lane-data.js";
import { valueText } from "../../lib/lane-text.js";
import { laneColour, nodeColour } from "./chart.js";
import { make, px } from "./dom.js";

const byClass = (parts, classes) => (parts ?? []).filter((part) => part.value && (!classes || classes.has(part.class))).map((part) => `${part.class} ${figure(part.value)}`).join(" · ");

// Half of a series' usual step: between two of its samples the nearer one is read.
const steps = new WeakMap();
function stepOf(lane, one) {
  if (!steps.has(one)) {
    const indexes = lane.buckets.map((_, index) => index).filter((index) => one.values[index] != null);
    const step = usualStep(lane.buckets, indexes);
    steps.set(one, Number.isFinite(step) ? step / 2 : 0);
  }
  return steps.get(one);
}

const WORST_NAMED = 3;
const MOST_LETTERS = 44;
const cut = (text) => (text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text);

const readers = {
  stack: (lane, at, context) => {
    const index = sampleIndex(lane, at, context.bucketUs);
    return index < 0 ? [] : lane.series.filter((one) => one.values[index]).map((one) => ({ name: one.name, value: figure(one.values[index]), colour: laneColour(lane, one.key, lane.series.indexOf(one)) }));
  },
  line: (lane, at, context) => lane.series.flatMap((one, index) => {
    const found = nearestValue(lane.buckets, one.values, at, Math.max(context.bucketUs, context.reach, stepOf(lane, one)));
    return found ? [{ name: lane.series.length > 1 ? `${lane.label} ${one.name}` : lane.label, value: valueText(found[1], lane.unit), colour: laneColour(lane, one.key, index) }] : [];
  }),
  mirror: (lane, at, context) => {
    const bar = barAt(lane.bars, at, context.reach);
    if (!bar) return [];
    const up = byClass(bar.up, context.classes);
    const down = byClass(bar.down, context.classes);
    const rows = [];
    if (up) rows.push({ name: `${lane.label} granted`, value: `${up} ${lane.unit ?? ""}`, colour: nodeColour(lane) });
    if (down) rows.push({ name: `${lane.label} revoked`, value: `${down} ${lane.unit ?? ""}`, colour: nodeColour(lane) });
    if (bar.path && rows.length) rows.push({ name: "", value: bar.line ? `${bar.path}:${bar.line}` : bar.path });
    return rows;
  },
  heat: (lane, at) => {
    const index = columnAt(lane, at);
    return index < 0 ? [] : worstAt(lane, index).slice(0, WORST_NAMED).map((row) => ({ name: row.name, value: valueText(row.values[index], lane.unit), colour: heatColour(lane) }));
  },
  runs: (lane, at, context) => itemsAt(lane.items, at, context.reach).map((item) => ({ name: item.title, value: duration(item.seconds), colour: `severity-${item.severity ?? "info"}` })),
  bands: (lane, at, context) => itemsAt(lane.items, at, context.reach).map((item) => ({ name: item.title, value: item.end > item.start ? duration(item.seconds) : lane.label, colour: `severity-${item.severity ?? "info"}` })),
  flags: (lane, at, context) => itemsAt(lane.items, at, context.reach).map((item) => ({ name: item.title, value: item.ref ?? "", colour: `severity-${item.severity ?? "low"}` })),
  notes: (lane, at, context) => itemsAt(lane.items, at, context.reach).map((item) => ({ name: item.title, value: "note" })),
};

export function read(lanes, at, context) {
  return lanes.flatMap((lane) => readers[lane.kind](lane, at, context)).slice(0, 14);
}

export function makeReadout(host) {
  const hair = host.appendChild(make("div", "crosshair"));
  const card = host.appendChild(make("div", "readout hover-card"));
  const hide = () => { hair.hidden = true; card.hidden = true; };
  hide();
  return {
    hide,
    show(at, x, y, rows, context) {
      hair.hidden = false;
      hair.style.left = px(x);
      card.hidden = !rows.length && !context.always;
      if (card.hidden) return;
      card.replaceChildren(head(at, context), list(rows, context), ...(context.hint ? [make("p", "", context.hint)] : []));
      const width = card.offsetWidth;
      const right = x + 14 + width < host.clientWidth;
      card.style.left = px(Math.max(4, right ? x + 14 : x - 14 - width));
      card.style.top = px(Math.min(Math.max(8, y - card.offsetHeight / 2), Math.max(8, host.clientHeight - card.offsetHeight - 8)));
    },
  };
}

function head(at, context) {
  const line = make("div", "readout-head");
  line.append(make("b", "", `${moment(at, context.window)}${context.window.zone ? ` ${context.window.zone}` : ""}`), make("span", "", `bucket ${shortDuration(context.bucketUs / 1e6)}, peaks kept`));
  return line;
}

function list(rows, context) {
  const dl = make("dl");
  for (const row of rows) {
    const name = make("dt");
    const dot = make("i");
    dot.style.background = row.colour ? context.colour(row.colour) : "transparent";
    name.append(dot, cut(row.name));
    dl.append(name, make("dd", "", row.value.trim()));
  }
  return dl;
}
