import assert from "node:assert/strict";
import { test } from "node:test";
import { columnAt, heatShare, rowsShown, rowWindow, ROW_PX, worstAt } from "../../static/js/lib/heat.js";
import { sentence, table } from "../../static/js/lib/lane-text.js";

const lane = {
  kind: "heat", label: "Waits by node", unit: "s", times: [0, 10e6, 40e6], ends: [10e6, 20e6, 50e6],
  rows: [{ name: "n2", peak: 700, values: [null, 650, 700] }, { name: "n1", peak: 3, values: [3, null, 2] }],
};

test("a longer wait has more colour, in steps that do not depend on the other nodes", () => {
  const shares = [0.5, 5, 30, 120, 900, 4000].map((age) => heatShare(age, lane));
  assert.deepEqual(shares, [...shares].sort((a, b) => a - b));
  assert.equal(new Set(shares).size, 6);
  assert.equal(heatShare(null, lane), 0);
});

test("lock traffic is drawn against the busiest node and never vanishes", () => {
  const traffic = { ...lane, unit: "/s", rows: [{ name: "a", peak: 1000, values: [] }] };
  assert.equal(heatShare(1000, traffic), 1);
  assert.equal(heatShare(1, traffic), 0.12);
});

test("between two columns there is none", () => {
  assert.deepEqual([5e6, 10e6, 30e6, 45e6, 50e6].map((at) => columnAt(lane, at)), [0, 1, -1, 2, -1]);
});

test("a thousand rows: only those in view are drawn", () => {
  const { first, last } = rowWindow(500 * ROW_PX, 224, 1000);
  assert.deepEqual([first, last], [499, 517]);
  assert.deepEqual(rowWindow(0, 224, 3), { first: 0, last: 3 });
  assert.equal(rowsShown({ rows: new Array(1000) }), 16);
  assert.equal(rowsShown({ rows: new Array(3) }), 4);
});

test("the worst at a moment come first", () => {
  assert.deepEqual(worstAt(lane, 2).map((row) => row.name), ["n2", "n1"]);
  assert.deepEqual(worstAt(lane, 1).map((row) => row.name), ["n2"]);
});

test("a lane of nodes in words and as a table", () => {
  const window = { start: 0, end: 50e6, zone: null, dated: false };
  assert.equal(sentence(lane, window), "Waits by node: 2 nodes, most n2 11 m 40 s, n1 3.0 s.");
  assert.deepEqual(table(lane, window).rows, [["n2", "11 m 40 s", "00:00:10"], ["n1", "3.0 s", "00:00:00"]]);
});
