import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAxis } from "../../static/js/lib/axis.js";
import { classNames, dotRadii, extent, lineSeries, mirrorMax, mirrorSeries, overviewBins, shade, stackMax, stackSeries, stackUp, sampleIndex } from "../../static/js/lib/lane-data.js";

const mirror = { kind: "mirror", bars: [
  { start: 0, end: 10, up: [{ class: "h", value: 5 }, { class: "zz", value: 1 }], down: [{ class: "g", value: 3 }] },
  { start: 50, end: 60, up: [], down: [{ class: "h", value: 9 }] },
] };

test("lock classes come in the order h, g, rw, then by name", () => {
  assert.deepEqual(classNames([{ bars: [{ up: [{ class: "rw" }, { class: "zz" }], down: [{ class: "g" }, { class: "aa" }, { class: "h" }] }] }]), ["h", "g", "rw", "aa", "zz"]);
});

test("shades: the three of the drawing, others from a spare set", () => {
  assert.deepEqual(["h", "g", "rw"].map((name) => shade(name, [])), [1, 0.62, 0.36]);
  assert.notEqual(shade("aa", ["aa", "zz"]), shade("zz", ["aa", "zz"]));
});

test("grants go up and revokes down, empty series are left out, a filter holds", () => {
  const axis = makeAxis(0, 100);
  const all = mirrorSeries(mirror, axis, null);
  assert.deepEqual(all.map((one) => [one.name, one.side, one.points.map((point) => point.y)]), [["h", "up", [5, 0]], ["zz", "up", [1, 0]], ["h", "down", [-0, -9]], ["g", "down", [-3, -0]]]);
  assert.deepEqual(all[0].points[0], { x: 0.05, y: 5, from: 0, to: 0.1 });
  assert.deepEqual(mirrorSeries(mirror, axis, new Set(["g"])).map((one) => one.name), ["g"]);
  assert.equal(mirrorMax([mirror]), 9);
});

test("lines break at a fold", () => {
  const lane = { kind: "line", buckets: [0, 10, 20, 45], series: [{ key: "max", name: "longest", values: [1, 2, 0, 4] }] };
  const [one] = lineSeries(lane, makeAxis(0, 100, [{ start: 25, end: 40 }]));
  assert.deepEqual(one.points.map((point) => point.y), [1, 2, 0, null, 4]);
  assert.deepEqual(dotRadii(one.points), [1.5, 1.5, 1.5, 0, 2.5]);
  assert.deepEqual(lineSeries(lane, makeAxis(0, 100), "min"), []);
  assert.deepEqual(extent(lane), [0, 4]);
});

test("a series sampled at moments of its own is one line, and breaks where its samples stay away", () => {
  const buckets = [0, 3, 10, 13, 20, 23, 60, 63];
  const lane = { kind: "line", buckets, series: [{ key: "a", name: "a", values: [1, null, 2, null, 3, null, 4, null] }, { key: "b", name: "b", values: [null, 5, null, null, null, null, null, null] }] };
  const [a, b] = lineSeries(lane, makeAxis(0, 100));
  assert.deepEqual(a.points.map((point) => point.y), [1, 2, 3, null, 4]);
  assert.deepEqual(b.points.map((point) => point.y), [5]);
});

test("stacks add up", () => {
  const lane = { kind: "stack", buckets: [0, 10], series: [{ key: "3", name: "3", values: [1, null] }, { key: "4", name: "4", values: [2, 7] }] };
  assert.equal(stackMax(lane), 7);
  assert.deepEqual(stackSeries(lane, makeAxis(0, 20), 10)[0].points.map((point) => [point.from, point.to, point.y]), [[0, 0.5, 1], [0.5, 1, 0]]);
});

test("the overview keeps the peak of each stretch and ignores what is outside", () => {
  const bins = overviewBins([mirror, { kind: "stack", buckets: [95, 200], series: [{ values: [2, 4] }] }], { start: 0, end: 100 }, 10);
  assert.deepEqual(bins.map((value) => Number(value.toFixed(2))), [0.67, 0, 0, 0, 0, 1, 0, 0, 0, 0.5]);
});

test("series stand on one another, up and down apart, and nothing is drawn for nothing", () => {
  const point = (y) => ({ from: 0, to: 1, y });
  const stacked = stackUp([{ name: "a", points: [point(2), point(0)] }, { name: "b", points: [point(-3), point(4)] }, { name: "c", points: [point(5), point(1)] }]);
  assert.deepEqual(stacked.map((one) => one.boxes.map(({ low, high }) => [low, high])), [[[0, 2]], [[0, -3], [0, 4]], [[2, 7], [4, 5]]]);
  const seen = stackUp([{ key: "stuck", points: [point(2), point(0), point(90)] }, { key: "moving", points: [point(900), point(5), point(1)] }], (key) => (key === "stuck" ? 40 : 0));
  assert.deepEqual(seen.map((one) => one.boxes.map(({ low, high }) => [low, high])), [[[0, 40], [0, 90]], [[40, 940], [0, 5], [90, 91]]]);
});

test("between two samples the nearer one is read, and none where samples stay away", () => {
  const lane = { buckets: [0, 10, 20, 30, 90], series: [{ key: "3", values: [1, null, 3, null, 5] }, { key: "4", values: [null, null, 2, null, null] }] };
  assert.equal(sampleIndex(lane, 9, 1), 0);
  assert.equal(sampleIndex(lane, 12, 1), 2);
  assert.equal(sampleIndex(lane, 45, 1), -1);
  assert.equal(sampleIndex(lane, 45, 30), 2);
});
