// The lines of the wait graph: curves from the right side of a box to the left side of another, and where their words stand.
// `gap` is the width between two columns of boxes: words stand in the middle of one, where they cover no box.
const BOW = 52;
const NEAR = 8;

export function edgeCurve(from, to, { isBack = false, gap }) {
  if (isBack) return backCurve(from, to);
  const a = { x: from.x + from.width, y: from.y + from.height / 2 };
  const b = { x: to.x - 2, y: to.y + to.height / 2 };
  const isLong = b.x - a.x > gap * 1.5;
  // A straight line over several columns would run behind the boxes between.
  const bow = isLong && Math.abs(a.y - b.y) < NEAR ? BOW : 0;
  const bend = (a.x + b.x) / 2;
  return { a, b, c: { x: bend, y: a.y + bow }, d: { x: bend, y: b.y + bow }, isBack, at: isLong ? lastGapBefore(bend, a.x, from.width + gap, gap) : bend };
}

function backCurve(from, to) {
  const a = { x: from.x + from.width / 2, y: from.y };
  const b = { x: to.x + to.width / 2, y: to.y };
  const top = Math.min(a.y, b.y) - 26;
  return { a, b, c: { x: a.x, y: top }, d: { x: b.x, y: top }, isBack: true, at: (a.x + b.x) / 2 };
}

// Middles of gaps lie at a.x + gap/2 + n columns.
function lastGapBefore(x, start, column, gap) {
  return start + gap / 2 + Math.max(0, Math.floor((x - start - gap / 2) / column + 1e-9)) * column;
}

export const pathOf = ({ a, b, c, d }) => `M${a.x} ${a.y}C${c.x} ${c.y} ${d.x} ${d.y} ${b.x} ${b.y}`;

const along = (p0, p1, p2, p3, t) => (1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t ** 2 * p2 + t ** 3 * p3;

// The point of the curve above `at`; x grows or falls all the way, so halving finds it.
export function labelSpot({ a, b, c, d, at }) {
  let low = 0;
  let high = 1;
  const grows = b.x >= a.x;
  for (let step = 0; step < 30; step += 1) {
    const middle = (low + high) / 2;
    if ((along(a.x, c.x, d.x, b.x, middle) < at) === grows) low = middle;
    else high = middle;
  }
  return { x: at, y: along(a.y, c.y, d.y, b.y, (low + high) / 2) };
}

// Words in one gap are moved down until none covers another, and back up by half of what the last one moved.
export function apart(spots, least) {
  const columns = new Map();
  for (const spot of spots) {
    const key = Math.round(spot.x / 10);
    columns.set(key, [...(columns.get(key) ?? []), spot]);
  }
  return [...columns.values()].flatMap((column) => {
    const sorted = column.toSorted((one, other) => one.y - other.y);
    const ys = [];
    sorted.forEach((spot, index) => ys.push(index ? Math.max(spot.y, ys[index - 1] + least) : spot.y));
    const back = sorted.length ? (ys[ys.length - 1] - sorted[sorted.length - 1].y) / 2 : 0;
    return sorted.map((spot, index) => ({ ...spot, y: ys[index] - back }));
  });
}
