// Rows for boxes that may not overlap: each box goes into the first row where it fits.
export function packRows(boxes, gap = 4, most = 4) {
  const ends = [];
  return boxes.map(({ left, right }) => {
    let row = ends.findIndex((end) => left >= end + gap);
    if (row < 0) row = ends.length < most ? ends.length : ends.indexOf(Math.min(...ends));
    ends[row] = Math.max(ends[row] ?? -Infinity, right);
    return row;
  });
}
