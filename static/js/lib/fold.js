// Which stretches of the view hold nothing in any lane, and so may be folded away.
export function activity(lanes) {
  const times = [];
  for (const lane of lanes) {
    for (const item of lane.items ?? []) for (const at of [item.start, item.end, item.at]) if (at != null) times.push([at, at]);
    for (const item of lane.items ?? []) if (item.start != null && item.end != null) times.push([item.start, item.end]);
    for (const bar of lane.bars ?? []) times.push([bar.start, bar.end]);
    (lane.buckets ?? []).forEach((at, index) => {
      if (lane.series.some((series) => series.values[index] != null && (lane.kind !== "stack" || series.values[index] > 0))) times.push([at, at]);
    });
  }
  return times.sort((a, b) => a[0] - b[0]);
}

// Before the first and after the last data only what would take most of the width: there the view ends on purpose.
export function silences(lanes, view, { share = 0.12, edge = 0.7, least = 60e6, margin = 0.01 } = {}) {
  const length = view.end - view.start;
  const shortest = Math.max(length * share, least);
  const pad = length * margin;
  const found = [];
  let quiet = null;
  for (const [from, to] of activity(lanes)) {
    if (to < view.start || from > view.end) continue;
    if (from - (quiet ?? view.start) >= (quiet === null ? Math.max(length * edge, least) : shortest)) found.push({ start: quiet === null ? view.start : quiet + pad, end: from - pad });
    quiet = Math.max(quiet ?? to, to);
  }
  if (quiet !== null && view.end - quiet >= Math.max(length * edge, least)) found.push({ start: quiet + pad, end: view.end });
  return found;
}

export function foldName(fold) {
  return Math.round(fold.start / 1e6);
}
