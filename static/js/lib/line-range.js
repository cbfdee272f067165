// The chosen lines of a file in the address: ?line=12-18#L12.
export function parseRange(text) {
  const match = /^(\d{1,12})(?:-(\d{1,12}))?$/.exec(text ?? "");
  if (!match) return null;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return first > 0 ? { first: Math.min(first, last), last: Math.max(first, last) } : null;
}

export function rangeText(range) {
  return range.first === range.last ? String(range.first) : `${range.first}-${range.last}`;
}

export function extended(range, line) {
  return range ? { first: Math.min(range.first, line), last: Math.max(range.first, line) } : { first: line, last: line };
}

export function nextMark(marks, line) {
  return marks.find((mark) => mark > line) ?? null;
}

export function previousMark(marks, line) {
  return marks.findLast((mark) => mark < line) ?? null;
}

// The window to ask for before or after what is loaded; null at either end of the file.
export function windowBefore(first, size) {
  return first <= 1 ? null : { start: Math.max(1, first - size), count: Math.min(size, first - 1) };
}

export function windowAfter(last, size, lines) {
  if (lines !== null && last >= lines) return null;
  return { start: last + 1, count: lines === null ? size : Math.min(size, lines - last) };
}
