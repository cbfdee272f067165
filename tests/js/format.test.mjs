import assert from "node:assert/strict";
import { test } from "node:test";
import { agoText, axisDuration, bytes, clock, duration, figure, moment, requestErrorText, short, shortDuration, thousands } from "../../static/js/lib/format.js";

test("thousands stand apart by thin spaces, unknown is a dash", () => {
  assert.equal(thousands(999), "999");
  assert.equal(thousands(1234567), "1\u2009234\u2009567");
  assert.equal(thousands(-30653.5), "−30\u2009653.5");
  assert.equal(thousands(null), "–");
});

test("figures keep what matters", () => {
  assert.equal(figure(0), "0");
  assert.equal(figure(0.0341), "0.034");
  assert.equal(figure(11.84), "11.8");
  assert.equal(figure(6130.7), "6\u2009131");
  assert.equal(figure(null), "–");
});

test("axis figures are short", () => {
  assert.deepEqual([0, 500, 5000, 12500, 3e6, 2.5e9].map(short), ["0", "500", "5k", "12.5k", "3M", "2.5G"]);
});

test("durations", () => {
  assert.deepEqual([0, 0.00002, 0.35, 0.9999, 28, 59.96, 119.99, 163, 822.87, 3600, 7200, 86399.7, 187200].map(duration), ["0.0 s", "20 µs", "350 ms", "1.0 s", "28.0 s", "60.0 s", "119.9 s", "2 m 43 s", "13 m 42 s", "60 m 00 s", "2 h 00 m", "23 h 59 m", "2 d 04 h"]);
  assert.deepEqual([0.1, 10, 100, 180, 3600, 6900].map(shortDuration), ["100 ms", "10 s", "100 s", "3 m", "60 m", "115 m"]);
  assert.deepEqual([0.1, 10, 100, 1000, 10000, 200000].map(axisDuration), ["100 ms", "10 s", "1.7 m", "17 m", "2.8 h", "2.3 d"]);
  assert.equal(duration(null), "–");
});

test("clocks print UTC fields, so the customer's wall clock comes out", () => {
  const us = Date.UTC(2031, 0, 2, 3, 4, 5) * 1000 + 678901;
  assert.equal(clock(us), "03:04:05");
  assert.equal(clock(us, { seconds: false }), "03:04");
  assert.equal(clock(us, { fraction: 3 }), "03:04:05.678");
  assert.equal(moment(us, { start: us, end: us + 2 * 86400e6 }), "2 Jan 03:04:05");
  assert.equal(moment(us, { start: us, end: us + 3600e6 }), "03:04:05");
  assert.equal(moment(75e6, { dated: false }), "00:01:15");
});

test("bytes, ages and errors are words", () => {
  assert.deepEqual([0, 1023, 1536, 1048575, 20 * 2 ** 30].map(bytes), ["0 B", "1\u2009023 B", "1.5 KiB", "1 MiB", "20 GiB"]);
  assert.deepEqual([1, 60, 300, 7200, 100000].map(agoText), ["just now", "1 m ago", "5 m ago", "2 h ago", "1 d ago"]);
  for (const status of [0, 403, 404, 413, 429, 500]) assert.match(requestErrorText(status), /^[A-Z].*\.$/);
});
