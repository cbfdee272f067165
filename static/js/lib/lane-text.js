// A lane in words and as a table: the twins of its chart.
import { bytes, duration, figure, moment } from "./format.js";
import { total } from "./hit.js";

export const valueText = (value, unit) => (unit === "s" ? duration(value) : value == null ? "–" : unit === "KiB" ? bytes(1024 * value) : `${figure(value)}${unit ? ` ${unit}` : ""}`);

const peakOf = (lane) => {
  let best = null;
  (lane.buckets ?? []).forEach((at, index) => {
    const value = lane.kind === "stack" ? lane.series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0) : Math.max(...lane.series.map((one) => one.values[index] ?? -Infinity));
    if (Number.isFinite(value) && (best === null || value > best.value)) best = { at, value };
  });
  return best;
};

const barPeak = (lane, side) => lane.bars.reduce((best, bar) => (total(bar[side]) > best.value ? { at: bar.start, value: total(bar[side]) } : best), { at: null, value: 0 });

const sentences = {
  mirror: (lane, window) => {
    const part = (side, word) => {
      const peak = barPeak(lane, side);
      return peak.at === null ? `no ${word}` : `${word} up to ${valueText(peak.value, lane.unit)} at ${moment(peak.at, window)}`;
    };
    return `${part("up", "grants")}, ${part("down", "revokes")}`;
  },
  rows: (lane) => `${lane.rows.length} nodes, most ${lane.rows.slice(0, 3).map((row) => `${row.name} ${valueText(row.peak, lane.unit)}`).join(", ")}`,
  items: (lane, window) => lane.items.slice(0, 6).map((item) => `${item.title}${(item.start ?? item.at) != null ? ` at ${moment(item.start ?? item.at, window)}` : ""}`).join("; ") || "none",
  series: (lane, window) => {
    const peak = peakOf(lane);
    return peak ? `highest ${valueText(peak.value, lane.unit)} at ${moment(peak.at, window)}, ${lane.buckets.length} points` : "no values in this window";
  },
};

const shapeOf = (lane) => (lane.items ? "items" : lane.bars ? "mirror" : lane.rows ? "rows" : "series");

export function sentence(lane, window) {
  return `${lane.label}: ${sentences[shapeOf(lane)](lane, window)}.`;
}

const TIMED = new Set(["runs", "bands"]);

const tables = {
  rows: (lane, window) => ({
    head: ["Node", "Most", "From"],
    rows: lane.rows.map((row) => [row.name, valueText(row.peak, lane.unit), moment(lane.times[row.values.findIndex((value) => value != null)], window)]),
  }),
  mirror: (lane, window) => ({
    head: ["From", "To", "Grants", "By class", "Revokes", "By class"],
    rows: lane.bars.map((bar) => [moment(bar.start, window), moment(bar.end, window), valueText(total(bar.up), lane.unit), classes(bar.up), valueText(total(bar.down), lane.unit), classes(bar.down)]),
  }),
  items: (lane, window) => ({
    head: TIMED.has(lane.kind) ? ["From", "To", "Took", "What"] : ["From", "To", "What"],
    rows: lane.items.map((item) => {
      const start = item.start ?? item.at;
      const times = [start == null ? "–" : moment(start, window), item.end == null ? "–" : moment(item.end, window)];
      return TIMED.has(lane.kind) ? [...times, duration(item.seconds), item.title] : [...times, item.title];
    }),
  }),
  series: (lane, window) => ({
    head: ["Time", ...lane.series.map((one) => (lane.unit && lane.unit !== "s" ? `${one.name}, ${lane.unit}` : one.name))],
    rows: lane.buckets.flatMap((at, index) => {
      const values = lane.series.map((one) => one.values[index]);
      const empty = values.every((value) => value == null || (lane.kind === "stack" && value === 0));
      return empty ? [] : [[moment(at, window), ...values.map((value) => (lane.unit === "s" ? duration(value) : figure(value)))]];
    }),
  }),
};

const classes = (parts) => (parts ?? []).filter((part) => part.value).map((part) => `${part.class} ${figure(part.value)}`).join(" · ") || "–";

export function table(lane, window) {
  return tables[shapeOf(lane)](lane, window);
}
