// From the server's lanes to what is drawn: places on the axis instead of times, one list per series.
//
// The server's answer. All times are wall-clock microseconds, printed as they stand; an absent value is null, never 0.
//   window    {start, end, zone or null, dated}   what the lanes cover; without dates they are times of day
//   whole     {start, end}   the whole case (optional: then the first answer's window is the whole)
//   overview  {values: [0..1, ...]}   equal stretches of the whole (optional: else made from the first answer's lanes)
//   folds     [{start, end}]   stretches of the window in which no lane shows anything (optional)
//   bucket_us   width of a bucket; a bucket is named by its start, and one without data is left out
//   lanes     [{id, kind, label, sub, unit, ...}], in the order they are drawn; a lane without data is not drawn
//     flags   items [{start, end, title, severity, ref, href, number (optional: the finding's place in its list), more (others of its incident)}]
//     stack   buckets [us], ends [us] (optional: else each lasts bucket_us),
//             series [{key "1".."4", stuck, moving, first seen, a severity or other, name, values}],
//             between (true: also shows what lasts between samples)
//     line    buckets, series [{key (max, p99, p50, mean ...), name, values, min (optional), node (its hue, optional)}],
//             scale "log" (optional)
//     mirror  node (number), quiet (true: too little to be seen beside the others), bars [{start, end, up [{class, value}], down [...], line, path}]
//     runs    items [{start or null, end or null, seconds, title, href, severity (optional)}]
//     bands   items [{start, end, seconds, title, href, severity}]   one without a known end has its start there
//     notes   items [{at, title, href, id}]
//     heat    times [us] and ends [us] of its columns, rows [{name, peak, values}], the worst first
//   lock_nodes  how many nodes have lock traffic; the busiest have a lane (optional)
import { toPlace } from "./axis.js";
import { nearestIndex, total } from "./hit.js";

const CLASS_SHADES = { h: 1, g: 0.62, rw: 0.36 };
const SPARE_SHADES = [0.8, 0.5, 0.28];

export function classNames(lanes) {
  const found = [];
  for (const lane of lanes) {
    for (const bar of lane.bars ?? []) {
      for (const part of [...(bar.up ?? []), ...(bar.down ?? [])]) if (!found.includes(part.class)) found.push(part.class);
    }
  }
  const order = Object.keys(CLASS_SHADES);
  const rank = (name) => (order.includes(name) ? order.indexOf(name) : order.length);
  return found.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

export function shade(name, names) {
  if (name in CLASS_SHADES) return CLASS_SHADES[name];
  const spare = names.filter((one) => !(one in CLASS_SHADES)).indexOf(name);
  return SPARE_SHADES[spare % SPARE_SHADES.length];
}

export function mirrorSeries(lane, axis, chosen) {
  const names = classNames([lane]).filter((name) => !chosen || chosen.has(name));
  const series = [];
  for (const side of ["up", "down"]) {
    for (const name of names) {
      const points = lane.bars.map((bar) => boxPoint(axis, bar.start, bar.end, sideValue(bar[side], name, side)));
      if (points.some((point) => point.y)) series.push({ name, side, points });
    }
  }
  return series;
}

function sideValue(parts, name, side) {
  const value = (parts ?? []).filter((part) => part.class === name).reduce((sum, part) => sum + part.value, 0);
  return side === "down" ? -value : value;
}

function boxPoint(axis, start, end, y) {
  const from = toPlace(axis, start);
  const to = toPlace(axis, end);
  return { x: (from + to) / 2, y, from, to };
}

export function stackSeries(lane, axis, bucketUs) {
  return lane.series.map((one) => ({
    key: one.key,
    name: one.name,
    points: lane.buckets.map((at, index) => boxPoint(axis, at, lane.ends?.[index] ?? at + bucketUs, one.values[index] ?? 0)),
  }));
}

// Each series stands on those before it, what goes up and what goes down apart. Parts of no height are left out; those of a series
// that must be seen beside much larger ones are at least so high.
export function stackUp(series, leastOf = (_key) => 0) {
  const up = [];
  const down = [];
  return series.map((one) => {
    const boxes = [];
    one.points.forEach(({ from, to, y }, index) => {
      if (!y) return;
      const pile = y > 0 ? up : down;
      const base = pile[index] ?? 0;
      const height = y > 0 ? Math.max(y, leastOf(one.key)) : y;
      pile[index] = base + height;
      boxes.push({ from, to, low: base, high: base + height });
    });
    return { ...one, boxes };
  });
}

// The lane's moments are those of all its series together, so each series is absent at most of them. Its line joins the values
// it has, and breaks where they stay away for three of its usual steps, and at a fold.
export function lineSeries(lane, axis, field = "values") {
  return lane.series.filter((one) => one[field]).map((one) => {
    const indexes = lane.buckets.map((_, index) => index).filter((index) => one[field][index] != null);
    const longest = 3 * usualStep(lane.buckets, indexes);
    const points = [];
    indexes.forEach((index, at) => {
      const [before, now] = [lane.buckets[indexes[at - 1]], lane.buckets[index]];
      const x = toPlace(axis, now);
      if (at && (now - before > longest || foldBetween(axis, before, now))) points.push({ x, y: null });
      points.push({ x, y: one[field][index] });
    });
    return { key: one.key, name: one.name, points };
  });
}

export function usualStep(buckets, indexes) {
  const steps = indexes.slice(1).map((index, at) => buckets[index] - buckets[indexes[at]]).sort((a, b) => a - b);
  return steps.length ? steps[(steps.length - 1) >> 1] : Infinity;
}

// The sample nearest to a moment: between two samples that is one of them, where samples stay away it is none (-1).
const sampled = new WeakMap();
export function sampleIndex(lane, at, reach) {
  if (!sampled.has(lane)) {
    const indexes = lane.buckets.map((_, index) => index).filter((index) => lane.series.some((one) => one.values[index]));
    const step = usualStep(lane.buckets, indexes);
    sampled.set(lane, { indexes, moments: indexes.map((index) => lane.buckets[index]), half: Number.isFinite(step) ? step / 2 : 0 });
  }
  const { indexes, moments, half } = sampled.get(lane);
  const nearest = nearestIndex(moments, at);
  return nearest >= 0 && Math.abs(moments[nearest] - at) <= Math.max(reach, half) ? indexes[nearest] : -1;
}

function foldBetween(axis, before, after) {
  return axis.pieces.some((piece) => piece.folded && piece.start >= before && piece.end <= after);
}

// A value with nothing at either side would be invisible as a line, so it becomes a dot.
export function dotRadii(points, sparse = 60) {
  return points.map((point, index) => {
    if (point.y == null) return 0;
    const alone = points[index - 1]?.y == null && points[index + 1]?.y == null;
    return alone ? 2.5 : points.length < sparse ? 1.5 : 0;
  });
}

export function mirrorMax(lanes) {
  return Math.max(0, ...lanes.filter((lane) => lane.kind === "mirror").flatMap((lane) => lane.bars.map((bar) => Math.max(total(bar.up), total(bar.down)))));
}

export function stackMax(lane) {
  return lane.buckets.reduce((best, _, index) => Math.max(best, lane.series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0)), 0);
}

// A logarithmic scale has no place for zero.
export function extent(lane, isLog = false) {
  const values = lane.series.flatMap((one) => [...one.values, ...(one.min ?? [])]).filter((value) => value != null && !(isLog && value <= 0));
  return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
}

// The strip under the lanes: how busy each of `bins` equal stretches is, 0 to 1, taken over all lanes with figures.
export function overviewBins(lanes, whole, bins = 160) {
  const sums = new Array(bins).fill(0);
  const put = (at, value) => {
    const bin = Math.floor(((at - whole.start) / (whole.end - whole.start)) * bins);
    if (bin >= 0 && bin < bins) sums[bin] = Math.max(sums[bin], value);
  };
  const mirror = mirrorMax(lanes) || 1;
  for (const lane of lanes) {
    for (const bar of lane.bars ?? []) put(bar.start, Math.max(total(bar.up), total(bar.down)) / mirror);
    if (lane.kind === "stack") {
      const most = stackMax(lane) || 1;
      lane.buckets.forEach((at, index) => put(at, lane.series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0) / most));
    }
  }
  return sums;
}
