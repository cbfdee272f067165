import assert from "node:assert/strict";
import { test } from "node:test";
import { sentence, table, valueText } from "../../static/js/lib/lane-text.js";

const start = Date.UTC(2031, 4, 6, 9, 0, 0) * 1000;
const window = { start, end: start + 600e6, zone: "CET", dated: true };

test("a line's sentence names its peak and when", () => {
  const lane = { kind: "line", label: "Longest waiter", unit: "s", buckets: [start, start + 60e6], series: [{ name: "longest", values: [2, 412] }] };
  assert.equal(sentence(lane, window), "Longest waiter: highest 6 m 52 s at 09:01:00, 2 points.");
  assert.deepEqual(table(lane, window), { head: ["Time", "longest"], rows: [["09:00:00", "2.0 s"], ["09:01:00", "6 m 52 s"]] });
});

test("a stack's peak is the sum of its parts; rows of nothing are left out", () => {
  const lane = { kind: "stack", label: "Waiters", unit: "waiters", buckets: [start, start + 60e6, start + 120e6], series: [{ name: "3", values: [4, 2, 0] }, { name: "4", values: [0, 3, null] }] };
  assert.match(sentence(lane, window), /highest 5 waiters at 09:01:00/);
  assert.deepEqual(table(lane, window).rows, [["09:00:00", "4", "0"], ["09:01:00", "2", "3"]]);
});

test("a mirror's sentence has both sides, and says when one is absent", () => {
  const lane = { kind: "mirror", label: "node 1", unit: "/s", bars: [{ start, end: start + 10e6, up: [{ class: "h", value: 61 }], down: [] }] };
  assert.equal(sentence(lane, window), "node 1: grants up to 61 /s at 09:00:00, no revokes.");
  assert.deepEqual(table(lane, window).rows[0], ["09:00:00", "09:00:10", "61 /s", "h 61", "0 /s", "–"]);
});

test("items without a time are told without one", () => {
  const lane = { kind: "runs", label: "Commands", items: [{ start: null, end: null, seconds: 3, title: "du" }] };
  assert.equal(sentence(lane, window), "Commands: du.");
  assert.deepEqual(table(lane, window).rows, [["–", "–", "3.0 s", "du"]]);
});

test("unknown values are dashes", () => {
  assert.equal(valueText(null, "s"), "–");
  assert.equal(valueText(null, "MB/s"), "–");
});
