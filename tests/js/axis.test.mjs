import assert from "node:assert/strict";
import { test } from "node:test";
import { clamped, foldAt, FOLD_SHARE, fromPlace, makeAxis, panned, rounded, shownUs, stepped, toPlace, zoomed, zoomedOn } from "../../static/js/lib/axis.js";

const SECOND = 1e6;
const near = (actual, expected, within = 1e-9) => assert.ok(Math.abs(actual - expected) <= within, `${actual} is not ${expected}`);

test("without folds time is to scale", () => {
  const axis = makeAxis(100 * SECOND, 200 * SECOND);
  near(toPlace(axis, 100 * SECOND), 0);
  near(toPlace(axis, 150 * SECOND), 0.5);
  near(toPlace(axis, 200 * SECOND), 1);
  assert.equal(fromPlace(axis, 0.25), 125 * SECOND);
});

test("a fold takes its share whatever its length, the rest stays to scale", () => {
  const axis = makeAxis(0, 1000 * SECOND, [{ start: 100 * SECOND, end: 900 * SECOND }]);
  near(toPlace(axis, 900 * SECOND) - toPlace(axis, 100 * SECOND), FOLD_SHARE);
  near(toPlace(axis, 100 * SECOND), (1 - FOLD_SHARE) / 2);
  near(toPlace(axis, 1000 * SECOND), 1);
});

test("places and times are inverse, inside and outside folds", () => {
  const axis = makeAxis(0, 3600 * SECOND, [{ start: 600 * SECOND, end: 1800 * SECOND }, { start: 2000 * SECOND, end: 3000 * SECOND }]);
  for (const at of [0, 1, 599, 600, 1200, 1900, 2500, 3599, 3600]) near(fromPlace(axis, toPlace(axis, at * SECOND)), at * SECOND, 2);
});

test("moments outside the window keep their side", () => {
  const axis = makeAxis(0, 100 * SECOND);
  assert.ok(toPlace(axis, -10 * SECOND) < 0);
  assert.ok(toPlace(axis, 110 * SECOND) > 1);
});

test("a fold is found by its place, open time is not", () => {
  const axis = makeAxis(0, 1000 * SECOND, [{ start: 100 * SECOND, end: 900 * SECOND }]);
  assert.equal(foldAt(axis, 0.5).end, 900 * SECOND);
  assert.equal(foldAt(axis, 0.1), null);
});

test("folds outside the window are left out, those across its edge are cut", () => {
  const axis = makeAxis(500 * SECOND, 1000 * SECOND, [{ start: 0, end: 100 * SECOND }, { start: 400 * SECOND, end: 600 * SECOND }]);
  assert.deepEqual(axis.pieces.map(({ start, end, folded }) => [start / SECOND, end / SECOND, folded]), [[500, 600, true], [600, 1000, false]]);
});

test("zooming keeps the moment under the pointer and stays in the whole", () => {
  const whole = { start: 0, end: 1000 * SECOND };
  assert.deepEqual(zoomed(whole, whole, 0.5, 250 * SECOND), { start: 125 * SECOND, end: 625 * SECOND });
  assert.deepEqual(zoomed({ start: 0, end: 10 * SECOND }, whole, 1000, 5 * SECOND), whole);
  const close = zoomed({ start: 0, end: 2 * SECOND }, whole, 0.001, SECOND);
  assert.equal(close.end - close.start, SECOND);
});

test("panning stops at both ends with the length kept", () => {
  const whole = { start: 0, end: 100 };
  assert.deepEqual(panned({ start: 10, end: 30 }, whole, -50), { start: 0, end: 20 });
  assert.deepEqual(panned({ start: 10, end: 30 }, whole, 500), { start: 80, end: 100 });
  assert.deepEqual(clamped({ start: -50, end: 500 }, whole), whole);
});

test("long windows round to seconds, short ones to milliseconds", () => {
  assert.equal(rounded(1234567, 120 * SECOND), 1000000);
  assert.equal(rounded(1234567, 10 * SECOND), 1235000);
});

test("nearer goes by places: a folded day does not swallow the zoom", () => {
  const whole = { start: 0, end: 1000e6 };
  const axis = makeAxis(0, 1000e6, [{ start: 100e6, end: 900e6 }]);
  const near = zoomedOn(axis, whole, 0.5, 1000e6);
  assert.equal(near.end, 1000e6);
  assert.ok(near.start >= 900e6, "the fold is out of view");
  assert.deepEqual(zoomedOn(makeAxis(0, 100e6), whole, 0.5, 50e6), { start: 25e6, end: 75e6 });
  assert.deepEqual(zoomedOn(makeAxis(0, 100e6), whole, 2, 0), { start: 0, end: 200e6 });
});

test("the cursor steps over a fold", () => {
  const axis = makeAxis(0, 1000e6, [{ start: 100e6, end: 900e6 }]);
  assert.equal(shownUs(axis), 200e6);
  assert.equal(stepped(axis, 95e6, 10e6), 900e6);
  assert.equal(stepped(axis, 905e6, -10e6), 100e6);
  assert.equal(stepped(axis, 995e6, 10e6), 1000e6);
});
