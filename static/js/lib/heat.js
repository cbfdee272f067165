// Node by time as colours: which share of the full colour a value has, and which rows stand in a window of the list.
export const ROW_PX = 14;
export const MOST_ROWS = 16;
const AGES = [1, 10, 60, 300, 1800];
const AGE_SHARES = [0.1, 0.22, 0.4, 0.62, 0.82, 1];
const LEAST_SHARE = 0.12;

// A wait by its age, in steps that are the same on every page; lock traffic against the busiest node.
export function heatShare(value, lane) {
  if (value == null) return 0;
  if (lane.unit === "s") return AGE_SHARES[AGES.filter((age) => value >= age).length];
  const most = Math.max(...lane.rows.map((row) => row.peak)) || 1;
  return Math.max(LEAST_SHARE, value / most);
}

export const heatColour = (lane) => (lane.unit === "s" ? "severity-high" : "category-2");

export function heatKeys(lane) {
  if (lane.unit !== "s") return [];
  return [["under 10 s", 1], ["1 m", 3], ["30 m and more", 5]].map(([name, step]) => ({ name, share: AGE_SHARES[step] }));
}

export const rowsShown = (lane) => Math.min(MOST_ROWS, Math.ceil(lane.rows.length / 4) * 4);

// The rows between two places of the list, one more at either end.
export function rowWindow(top, height, count) {
  return { first: Math.max(0, Math.floor(top / ROW_PX) - 1), last: Math.min(count, Math.ceil((top + height) / ROW_PX) + 1) };
}

export function columnAt(lane, at) {
  const index = lane.times.findLastIndex((start) => start <= at);
  return index >= 0 && at < lane.ends[index] ? index : -1;
}

export const worstAt = (lane, index) => lane.rows.filter((row) => row.values[index] != null).sort((a, b) => b.values[index] - a.values[index]);
