import assert from "node:assert/strict";
import { test } from "node:test";
import { activity, silences } from "../../static/js/lib/fold.js";

const MINUTE = 60e6;
const bar = (minute) => ({ start: minute * MINUTE, end: (minute + 1) * MINUTE, up: [], down: [] });
const mirror = (...minutes) => ({ kind: "mirror", bars: minutes.map(bar) });

test("a long gap between data folds, with a margin at both sides", () => {
  const view = { start: 0, end: 100 * MINUTE };
  const found = silences([mirror(0, 1, 2, 60, 61, 99)], view);
  assert.deepEqual(found.map(({ start, end }) => [start / MINUTE, end / MINUTE]), [[4, 59], [63, 98]]);
});

test("gaps that are short, or short beside the view, stay open", () => {
  assert.deepEqual(silences([mirror(0, 5, 10, 15, 20)], { start: 0, end: 60 * MINUTE }), []);
  assert.deepEqual(silences([{ kind: "notes", items: [{ at: 0 }, { at: 30e6 }] }], { start: 0, end: 30e6 }), []);
});

test("another lane's data keeps a gap open", () => {
  const notes = { kind: "notes", items: [10, 20, 30, 40, 50].map((minute) => ({ at: minute * MINUTE })) };
  assert.deepEqual(silences([mirror(0, 59), notes], { start: 0, end: 100 * MINUTE }), []);
});

test("a long item covers the time it spans", () => {
  const runs = { kind: "runs", items: [{ start: 2 * MINUTE, end: 58 * MINUTE }] };
  assert.deepEqual(silences([mirror(0, 59), runs], { start: 0, end: 60 * MINUTE }), []);
});

test("a stack of zeros is silence, a line of zeros is data", () => {
  const buckets = [0, 50, 99].map((minute) => minute * MINUTE);
  const series = [{ values: [1, 0, 1] }];
  assert.equal(silences([{ kind: "stack", buckets, series }], { start: 0, end: 100 * MINUTE }).length, 1);
  assert.equal(activity([{ kind: "line", buckets, series }]).length, 3);
});

test("time before the first and after the last data is not folded", () => {
  assert.deepEqual(silences([mirror(50)], { start: 0, end: 100 * MINUTE }), []);
});

test("a day of nothing before the data, or after it, does fold", () => {
  const view = { start: 0, end: 100 * MINUTE };
  const folds = (lanes) => silences(lanes, view).map(({ start, end }) => [start / MINUTE, end / MINUTE]);
  assert.deepEqual(folds([mirror(90, 91)]), [[0, 89]]);
  assert.deepEqual(folds([mirror(2, 3)]), [[5, 100]]);
  assert.deepEqual(folds([]), []);
});
