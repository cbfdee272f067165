import assert from "node:assert/strict";
import { test } from "node:test";
import { makeAxis } from "../../static/js/lib/axis.js";
import { ageTicks, daysNamed, logTicks, niceMax, sizeTicks, timeStep, timeTicks } from "../../static/js/lib/ticks.js";

const SECOND = 1e6;
const at = (hours, minutes = 0, seconds = 0) => (Date.UTC(2031, 4, 6, hours, minutes, seconds) / 1000) * SECOND;

test("steps are round and never more than asked for", () => {
  assert.equal(timeStep(3600 * SECOND, 10), 600 * SECOND);
  assert.equal(timeStep(60 * SECOND, 6), 10 * SECOND);
  for (const span of [1e4, 1e6, 3e7, 9e9, 4e12, 1e15]) assert.ok(span / timeStep(span, 8) <= 8);
});

test("ticks print the wall clock as it stands", () => {
  const start = at(11, 22);
  const ticks = timeTicks(makeAxis(start, at(18, 26)), 8, { start, end: at(18, 26) });
  assert.deepEqual(ticks.map((tick) => tick.label), ["12:00", "13:00", "14:00", "15:00", "16:00", "17:00", "18:00"]);
});

test("seconds appear when the step is below a minute", () => {
  const start = at(18, 19);
  assert.equal(timeTicks(makeAxis(start, start + 60 * SECOND), 7, { start, end: start + 60 * SECOND })[1].label, "18:19:10");
});

test("midnight is named when the window is longer than a day", () => {
  const window = { start: at(20), end: at(20) + 30 * 3600 * SECOND };
  assert.ok(timeTicks(makeAxis(window.start, window.end), 12, window).some((tick) => tick.label === "7 May"));
});

test("no tick lies in a fold", () => {
  const fold = { start: at(12), end: at(16) };
  const ticks = timeTicks(makeAxis(at(11), at(18), [fold]), 12);
  assert.ok(ticks.length > 3);
  assert.ok(ticks.every((tick) => tick.at <= fold.start || tick.at >= fold.end));
});

test("without dates ticks are times of day", () => {
  assert.equal(timeTicks(makeAxis(0, 120 * SECOND), 3, { dated: false })[1].label, "00:01");
});

test("the top of a scale is at or above the largest value and not far above", () => {
  for (const value of [0.003, 0.9, 1, 7, 11.6, 99, 6131, 65535]) {
    const top = niceMax(value);
    assert.ok(top >= value * 0.9999 && top <= value * 1.67, `${value}: ${top}`);
  }
  assert.equal(niceMax(0), 1);
});

test("ages have ticks in their own units", () => {
  assert.deepEqual(ageTicks(0.1, 1000), [0.1, 1, 10, 60, 600].filter((_, index) => index % 2 === 0));
  assert.deepEqual(ageTicks(1, 4000).slice(-1), [3600]);
  assert.deepEqual(ageTicks(1000, 3000), [1800]);
  assert.deepEqual(ageTicks(100, 270), [180]);
  assert.deepEqual(sizeTicks(1, 20000), [4, 64, 1024, 16384]);
  assert.deepEqual(sizeTicks(4, 64), [4, 16, 64]);
  assert.deepEqual(sizeTicks(5, 15), [5, 10]);
});

test("log ticks are powers of ten, thinned when many, the last one kept", () => {
  assert.deepEqual(logTicks(0.1, 100), [0.1, 1, 10, 100]);
  assert.deepEqual(logTicks(1000, 7000), [1000, 2000, 5000]);
  const many = logTicks(0.001, 10000);
  assert.ok(many.length <= 4 && many[many.length - 1] === 10000);
});

test("the first tick behind a fold over midnight names its day", () => {
  const named = (axis) => daysNamed(timeTicks(axis, 8), axis).filter((tick) => tick.label.includes("May")).map((tick) => tick.label);
  assert.deepEqual(named(makeAxis(at(20), at(36), [{ start: at(20, 30), end: at(35) }])), ["7 May 11:15"]);
  assert.deepEqual(named(makeAxis(at(10), at(18), [{ start: at(11), end: at(17) }])), []);
});
