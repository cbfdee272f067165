// Which stretches of the view hold nothing in any lane, and so may be folded away. The server folds the window of its answer in the same
// way (apps/diagnosis/pages/timeline/silences.py); tests/js/silences.json holds both to one answer.
const SHARE = 0.12; // of the time shown: what is quiet for less stays
const EDGE = 0.7; // the same before the first and after the last data of a view that somebody chose: it ends there on purpose
const RARE = 6; // times the usual pause between two data: else regular captures would be folds and nothing else
const LEAST_US = 60e6;
const MARGIN = 0.01;
const LEAST_MARGIN_US = 15e6;
const SECOND_US = 1e6;

// Stretches with data as [start, end], in order. A flag and a note stand at a moment, whatever stretch they speak of; a run covers its time.
export function activity(lanes, bucketUs = 0) {
  const times = [];
  for (const lane of lanes) {
    for (const item of lane.items ?? []) {
      const start = item.start ?? item.at ?? item.end;
      if (start != null) times.push([start, lane.kind === "runs" ? (item.end ?? start) : start]);
    }
    for (const bar of lane.bars ?? []) times.push([bar.start, bar.end]);
    const isStack = lane.kind === "stack";
    if (lane.between) continue; // waits that last from dump to dump are shown between them, where nothing was looked at
    (lane.buckets ?? []).forEach((at, index) => {
      if (lane.series.some((series) => series.values[index] != null && (!isStack || series.values[index] > 0))) times.push([at, isStack ? lane.ends?.[index] ?? at + bucketUs : at]);
    });
  }
  return times.sort((a, b) => a[0] - b[0]);
}

export function silences(times, view, opened = [], isChosen = true) {
  const { gaps, usual } = pauses(times.filter(([from, to]) => to >= view.start && from <= view.end), view);
  const closed = gaps.filter((gap) => !isOpened(gap, opened));
  const length = view.end - view.start;
  let shown = length;
  let folded = [];
  for (;;) {
    const more = closed.filter((gap) => isLong(gap, length, shown, usual, isChosen));
    if (more.length === folded.length) break;
    folded = more;
    shown = Math.max(LEAST_US, length - folded.reduce((sum, gap) => sum + gap.end - gap.start, 0));
  }
  const pad = Math.max(LEAST_MARGIN_US, Math.round(shown * MARGIN));
  return folded.filter((gap) => gap.end - gap.start > 2 * pad)
    .map((gap) => ({ start: gap.start + (gap.atStart ? 0 : pad), end: gap.end - (gap.atEnd ? 0 : pad) }));
}

/** @returns {{gaps: {start: number, end: number, atStart?: boolean, atEnd?: boolean}[], usual: number}} */
function pauses(times, view) {
  if (!times.length) return { gaps: [], usual: 0 };
  const inner = [];
  const lengths = [];
  let until = times[0][1];
  for (const [from, to] of times.slice(1)) {
    lengths.push(Math.max(from - until, 0));
    if (from - until >= LEAST_US) inner.push({ start: until, end: from });
    until = Math.max(until, to);
  }
  lengths.sort((a, b) => a - b);
  const edges = [{ start: view.start, end: times[0][0], atStart: true }, { start: until, end: view.end, atEnd: true }];
  return { gaps: [edges[0], ...inner, edges[1]], usual: lengths[(lengths.length - 1) >> 1] ?? 0 };
}

/** @param {{start: number, end: number, atStart?: boolean, atEnd?: boolean}} gap */
function isLong({ start, end, atStart, atEnd }, length, shown, usual, isChosen) {
  const quiet = end - start;
  if (isChosen && (atStart || atEnd)) return quiet >= LEAST_US && quiet > EDGE * shown;
  return quiet >= Math.max(LEAST_US, SHARE * length) || quiet >= Math.max(LEAST_US, SHARE * shown, RARE * usual);
}

const isOpened = (gap, opened) => opened.some(([first, last]) => first <= gap.end + SECOND_US && last >= gap.start - SECOND_US);

// How the address names a fold that the reader has opened: its stretch in seconds, so that it stays open however the view moves.
export function foldName(fold) {
  return `${Math.round(fold.start / SECOND_US)}-${Math.round(fold.end / SECOND_US)}`;
}

export function openedStretches(names) {
  return [...names].map((name) => name.split("-").map((seconds) => Number(seconds) * SECOND_US)).map(([first, last]) => [first, last ?? first]);
}
