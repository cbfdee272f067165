import assert from "node:assert/strict";
import { test } from "node:test";
import { barAt, bucketIndex, itemsAt, nearestIndex, nearestValue, total } from "../../static/js/lib/hit.js";

test("the nearest of sorted moments", () => {
  assert.equal(nearestIndex([], 5), -1);
  assert.deepEqual([-9, 0, 4, 6, 14, 99].map((at) => nearestIndex([0, 10, 20], at)), [0, 0, 0, 1, 1, 2]);
});

test("the nearest value of one series among moments of several", () => {
  const buckets = [0, 3, 10, 13, 20];
  assert.deepEqual(nearestValue(buckets, [1, null, 2, null, 3], 12, 5), [2, 2]);
  assert.deepEqual(nearestValue(buckets, [1, null, null, null, 0], 19, 5), [4, 0]);
  assert.equal(nearestValue(buckets, [1, null, null, null, 3], 10, 5), null);
  assert.equal(nearestValue([], [], 10, 5), null);
});

test("a bucket holds its start, not its end, and no gap", () => {
  const buckets = [100, 110, 150];
  assert.deepEqual([99, 100, 109, 110, 119, 120, 155, 160].map((at) => bucketIndex(buckets, 10, at)), [-1, 0, 0, 1, 1, -1, 2, -1]);
});

test("the bar under or nearest to the pointer, within reach", () => {
  const bars = [{ start: 0, end: 10 }, { start: 20, end: 30 }];
  assert.equal(barAt(bars, 5), bars[0]);
  assert.equal(barAt(bars, 18, 3), bars[1]);
  assert.equal(barAt(bars, 15, 3), null);
});

test("items with one end or a single moment", () => {
  const items = [{ start: null, end: 50 }, { at: 10 }, { start: 20, end: 40 }, { start: null, end: null }];
  assert.deepEqual(itemsAt(items, 30), [items[2]]);
  assert.deepEqual(itemsAt(items, 51, 2), [items[0]]);
  assert.deepEqual(itemsAt(items, 10), [items[1]]);
});

test("totals", () => {
  assert.equal(total([{ class: "h", value: 3 }, { class: "g", value: 4 }]), 7);
  assert.equal(total(undefined), 0);
});
