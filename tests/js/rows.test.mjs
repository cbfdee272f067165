import assert from "node:assert/strict";
import { test } from "node:test";
import { packRows } from "../../static/js/lib/rows.js";

test("boxes go into the first row where they fit", () => {
  assert.deepEqual(packRows([{ left: 0, right: 50 }, { left: 20, right: 70 }, { left: 60, right: 90 }]), [0, 1, 0]);
});

test("when all rows are full the one that ends first is taken", () => {
  const boxes = Array.from({ length: 4 }, (_, index) => ({ left: 0, right: 100 - index }));
  assert.deepEqual(packRows(boxes, 4, 2), [0, 1, 1, 1]);
});
