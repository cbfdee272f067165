// Chart.js, wrapped once: a lane of bars (stack, mirror) or of lines. All lanes share one x scale from 0 to 1, the folded
// time axis; ticks come from js/lib, colours from the tokens.
import "../../../vendor/chart.umd.min.js";
import "../../../vendor/chartjs-plugin-annotation.min.js";
import { axisDuration, bytes, short } from "../../lib/format.js";
import { classNames, dotRadii, extent, lineSeries, mirrorSeries, shade, stackMax, stackSeries, stackUp } from "../../lib/lane-data.js";
import { ageTicks, logTicks, niceMax, sizeTicks } from "../../lib/ticks.js";
import { toPlace } from "../../lib/axis.js";

const SEEN_PX = 4; // a few waits that are stuck below thousands that move
const HEIGHTS = { mirror: 76, stack: 96, line: 66 };
const QUIET_HEIGHT = 24;
const TICKS = { s: ageTicks, KiB: sizeTicks };
const LINE_COLOURS = { max: "category-3", p99: "category-4", p50: "category-2", mean: "category-2", min: "category-1" };
const STACK_COLOURS = {
  1: "category-1", 2: "category-2", 3: "category-3", 4: "category-4", stuck: "category-3", moving: "category-2", "first seen": "category-1",
  critical: "severity-critical", high: "severity-high", medium: "severity-medium", low: "severity-low",
};
const LINE_ORDER = ["category-2", "category-4", "category-3", "unknown"];

// Bars are as wide as the stretch they stand for, and at least two pixels. Chart.js has one width for all bars of a data set and
// an object for each; a lane has thousands, so each series is one path here.
const spanBars = {
  id: "spanBars",
  beforeDatasetsDraw(chart) {
    const { ctx, chartArea, scales: { x, y } } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
    ctx.clip();
    for (const { boxes, colour } of chart.config.options.bars ?? []) {
      ctx.beginPath();
      for (const { from, to, low, high } of boxes) {
        if (to < 0 || from > 1) continue;
        const left = x.getPixelForValue(from);
        const width = x.getPixelForValue(to) - left;
        const base = y.getPixelForValue(low);
        ctx.rect(left, base, Math.max(2, width > 5 && !chart.config.options.joined ? width - 1 : width), y.getPixelForValue(high) - base);
      }
      ctx.fillStyle = colour;
      ctx.fill();
    }
    ctx.restore();
  },
};

export function laneColour(lane, key, index) {
  if (lane.kind === "stack") return STACK_COLOURS[key] ?? "unknown";
  const node = lane.series?.[index]?.node;
  if (node != null) return `node-${node % 8}`;
  return LINE_COLOURS[key] ?? LINE_ORDER[index % LINE_ORDER.length];
}

export function nodeColour(lane) {
  return `node-${(lane.node ?? 0) % 8}`;
}

const coloured = (series, colourOf, leastOf) => stackUp(series, leastOf).map((one, index) => ({ boxes: one.boxes, colour: colourOf(one, index) }));

const bars = {
  stack: (lane, context) => {
    const seen = (niceMax(stackMax(lane)) * SEEN_PX) / HEIGHTS.stack;
    return coloured(stackSeries(lane, context.axis, context.bucketUs), (one, index) => context.colour(laneColour(lane, one.key, index)), (key) => (key === "stuck" ? seen : 0));
  },
  mirror: (lane, context) => {
    const names = classNames([lane]);
    return coloured(mirrorSeries(lane, context.axis, context.classes), (one) => context.colour(nodeColour(lane), shade(one.name, names)));
  },
  line: () => [],
};

function lines(lane, context) {
  if (lane.kind !== "line") return [];
  return [
    ...lineSeries(lane, context.axis).map((one, index) => line(one, context.colour(laneColour(lane, one.key, index)))),
    ...lineSeries(lane, context.axis, "min").map((one, index) => ({ ...line(one, context.colour(laneColour(lane, one.key, index), 0.35)), pointRadius: 0 })),
  ];
}

const line = (one, colour) => ({
  type: "line", label: one.name, data: one.points, borderColor: colour, backgroundColor: colour, borderWidth: 1.5, tension: 0, spanGaps: false,
  pointRadius: dotRadii(one.points), pointHoverRadius: 0,
});

function valueScale(lane, context) {
  const base = { border: { display: false }, grid: { drawTicks: false, lineWidth: 1 }, ticks: { padding: 6, font: { family: "Inter", size: 10 }, maxTicksLimit: 5 }, afterFit: (scale) => { scale.width = context.scaleWidth; } };
  const text = (value) => (lane.unit === "s" ? axisDuration(value) : lane.unit === "KiB" ? bytes(1024 * value) : `${short(Math.abs(value))}${lane.unit?.startsWith("/") ? lane.unit : ""}`);
  base.ticks.callback = text;
  if (lane.kind === "mirror") return { ...base, min: -context.mirrorMax, max: context.mirrorMax, afterBuildTicks: fixed(lane.quiet ? [] : [-1, -0.5, 0.5, 1].map((share) => share * context.mirrorMax)) };
  if (lane.kind === "stack") {
    const top = niceMax(stackMax(lane));
    return { ...base, min: 0, max: top, afterBuildTicks: fixed([0, top / 2, top]) };
  }
  const [low, high] = extent(lane, lane.scale === "log");
  if (lane.scale === "log" && high > 0) {
    const floor = 10 ** Math.floor(Math.log10(Math.max(low, high / 1e6, 1e-6)));
    return { ...base, type: "logarithmic", min: floor, max: Math.max(high * 1.25, floor * 10), afterBuildTicks: fixed((TICKS[lane.unit] ?? logTicks)(floor, high * 1.25)) };
  }
  const top = niceMax(high * 1.05);
  return { ...base, min: Math.min(0, low), max: top, afterBuildTicks: fixed([0, top / 2, top]) };
}

const fixed = (values) => (scale) => { scale.ticks = values.map((value) => ({ value })); };

function marks(context) {
  const found = {};
  context.findings.forEach((item, index) => {
    if (item.start == null || item.start < context.axis.start || item.start > context.axis.end) return;
    found[`finding${index}`] = { type: "line", scaleID: "x", value: toPlace(context.axis, item.start), borderWidth: 1, borderColor: context.colour(`severity-${item.severity ?? "low"}`, 0.35), drawTime: "beforeDatasetsDraw" };
  });
  return found;
}

// A setting that changed is a line through all lanes.
function changes(context) {
  return Object.fromEntries(context.changes.map((item, index) => [`change${index}`, { type: "line", scaleID: "x", value: toPlace(context.axis, item.at), borderWidth: 1, borderDash: [4, 3], borderColor: context.colour("accent", 0.6), drawTime: "beforeDatasetsDraw" }]));
}

function zeroLine(lane, context) {
  return lane.kind === "mirror" ? { zero: { type: "line", scaleID: "y", value: 0, borderWidth: 1, borderColor: context.colour("category-1", 0.8), drawTime: "beforeDatasetsDraw" } } : {};
}

function options(lane, context) {
  const y = valueScale(lane, context);
  y.grid.color = context.colour("rule-faint");
  y.ticks.color = context.colour("muted");
  return {
    responsive: true, maintainAspectRatio: false, animation: false, events: [], normalized: true, bars: bars[lane.kind](lane, context), joined: lane.between,
    layout: { padding: lane.quiet ? 0 : { top: 8, bottom: 6 } },
    scales: {
      x: { type: "linear", min: 0, max: 1, offset: false, border: { display: false }, ticks: { display: false }, grid: { color: context.colour("rule-faint"), drawTicks: false, offset: false }, afterBuildTicks: (scale) => { scale.ticks = context.ticks.map((tick) => ({ value: tick.place })); } },
      y,
    },
    plugins: { legend: { display: false }, tooltip: { enabled: false }, annotation: { annotations: { ...marks(context), ...changes(context), ...zeroLine(lane, context) } } },
  };
}

export function chartLane(plot) {
  const box = plot.appendChild(document.createElement("div"));
  box.className = "lane-canvas";
  const canvas = box.appendChild(document.createElement("canvas"));
  let chart = null;
  return {
    isSlow: true,
    keep(lane) { plot.style.height = `${lane.quiet ? QUIET_HEIGHT : HEIGHTS[lane.kind]}px`; },
    draw(lane, context) {
      this.keep(lane);
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", context.sentence(lane));
      const datasets = lines(lane, context);
      if (chart) {
        chart.data.datasets = datasets;
        chart.options = options(lane, context);
        chart.update("none");
      } else {
        chart = new globalThis.Chart(canvas, { data: { datasets }, options: options(lane, context), plugins: [spanBars] });
      }
    },
    destroy: () => chart?.destroy(),
  };
}
