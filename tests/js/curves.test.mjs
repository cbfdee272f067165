import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, edgeCurve, labelSpot, pathOf } from "../../static/js/lib/curves.js";

const box = (column, y) => ({ x: column * 200, y, width: 100, height: 50 });

test("words of a line to the next column stand in the middle between the boxes", () => {
  const spot = labelSpot(edgeCurve(box(0, 0), box(1, 100), { gap: 100 }));
  assert.ok(Math.abs(spot.x - 149) < 1);
  assert.ok(Math.abs(spot.y - 75) < 1);
});

test("words of a longer line stand in a gap, never over a column of boxes", () => {
  for (const columns of [2, 3, 4, 5]) {
    const { x } = labelSpot(edgeCurve(box(0, 0), box(columns, 300), { gap: 100 }));
    assert.equal((x - 150) % 200, 0, `${columns} columns: ${x}`);
  }
});

test("a long level line bows round the boxes between, a short one is straight", () => {
  assert.ok(labelSpot(edgeCurve(box(0, 0), box(2, 0), { gap: 100 })).y > 40);
  assert.equal(labelSpot(edgeCurve(box(0, 0), box(1, 0), { gap: 100 })).y, 25);
});

test("a line that closes a cycle goes over the boxes", () => {
  const curve = edgeCurve(box(2, 0), box(0, 0), { isBack: true, gap: 100 });
  assert.ok(labelSpot(curve).y < 0);
  assert.match(pathOf(curve), /^M450 0C/);
});

test("words in one gap stand apart, those in another stay", () => {
  const spots = apart([{ x: 100, y: 10 }, { x: 100, y: 14 }, { x: 300, y: 12 }], 19);
  const [first, second] = spots.filter((spot) => spot.x === 100).map((spot) => spot.y);
  assert.ok(second - first >= 19);
  assert.equal(spots.find((spot) => spot.x === 300).y, 12);
});
