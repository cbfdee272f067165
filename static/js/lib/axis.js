// The time axis of all lanes: wall-clock microseconds to a place between 0 and 1 and back. A folded silence takes a fixed
// small share of the width whatever its length; time outside folds is to scale.
export const FOLD_SHARE = 0.028;

export function makeAxis(start, end, folds = []) {
  const inside = folds.filter((fold) => fold.end > start && fold.start < end)
    .map((fold) => ({ start: Math.max(fold.start, start), end: Math.min(fold.end, end) }));
  const silent = inside.reduce((sum, fold) => sum + (fold.end - fold.start), 0);
  const open = Math.max(end - start - silent, 1);
  const share = inside.length ? Math.min(FOLD_SHARE, 0.4 / inside.length) : 0;
  const scale = (1 - share * inside.length) / open;
  const pieces = [];
  let at = start;
  let place = 0;
  const push = (to, width, folded) => {
    if (to <= at) return;
    pieces.push({ start: at, end: to, from: place, to: place + width, folded });
    at = to;
    place += width;
  };
  for (const fold of inside) {
    push(fold.start, (fold.start - at) * scale, false);
    push(fold.end, share, true);
  }
  push(end, (end - at) * scale, false);
  return { start, end, pieces };
}

export function toPlace(axis, us) {
  const { pieces } = axis;
  if (!pieces.length) return 0;
  let piece = pieces[0];
  for (const one of pieces) {
    if (us < one.start) break;
    piece = one;
  }
  return piece.from + ((us - piece.start) / (piece.end - piece.start)) * (piece.to - piece.from);
}

export function fromPlace(axis, place) {
  const { pieces } = axis;
  if (!pieces.length) return axis.start;
  let piece = pieces[0];
  for (const one of pieces) {
    if (place < one.from) break;
    piece = one;
  }
  return Math.round(piece.start + ((place - piece.from) / (piece.to - piece.from)) * (piece.end - piece.start));
}

export function foldAt(axis, place) {
  return axis.pieces.find((piece) => piece.folded && place >= piece.from && place <= piece.to) ?? null;
}

export function zoomed(view, whole, factor, around, least = 1e6) {
  const length = Math.min(whole.end - whole.start, Math.max(least, (view.end - view.start) * factor));
  const ratio = (around - view.start) / (view.end - view.start || 1);
  return clamped({ start: around - ratio * length, end: around + (1 - ratio) * length }, whole);
}

// Nearer by places, so that a folded silence does not swallow the zoom nor stand at its end; further away by time.
export function zoomedOn(axis, whole, factor, around) {
  if (factor >= 1 || !axis.pieces.some((piece) => piece.folded)) return zoomed(axis, whole, factor, around);
  const at = toPlace(axis, around);
  const ends = [at * (1 - factor), at + (1 - at) * factor];
  const [start, end] = [foldAt(axis, ends[0])?.end ?? fromPlace(axis, ends[0]), foldAt(axis, ends[1])?.start ?? fromPlace(axis, ends[1])];
  if (start < end) return clamped({ start, end: Math.max(start + 1e6, end) }, whole);
  return clamped({ start: fromPlace(axis, ends[0]), end: fromPlace(axis, ends[1]) }, whole);
}

export const shownUs = (axis) => axis.pieces.reduce((sum, piece) => sum + (piece.folded ? 0 : piece.end - piece.start), 0);

// A step of the cursor; a fold is passed at once.
export function stepped(axis, from, by) {
  const to = Math.min(Math.max(from + by, axis.start), axis.end);
  const fold = axis.pieces.find((piece) => piece.folded && to > piece.start && to < piece.end);
  return fold ? (by > 0 ? fold.end : fold.start) : to;
}

export function panned(view, whole, by) {
  return clamped({ start: view.start + by, end: view.end + by }, whole);
}

export function clamped(view, whole) {
  const length = Math.min(view.end - view.start, whole.end - whole.start);
  const start = Math.round(Math.min(Math.max(view.start, whole.start), whole.end - length));
  return { start, end: Math.round(start + length) };
}

// A window of minutes needs no microseconds in its address, nor a note pinned in it.
export function rounded(us, span) {
  const unit = span > 60e6 ? 1e6 : 1e3;
  return Math.round(us / unit) * unit;
}
