import assert from "node:assert/strict";
import { test } from "node:test";
import { extended, nextMark, parseRange, previousMark, rangeText, windowAfter, windowBefore } from "../../static/js/lib/line-range.js";

test("ranges of the address, in either order; anything else is none", () => {
  assert.deepEqual(parseRange("412"), { first: 412, last: 412 });
  assert.deepEqual(parseRange("418-412"), { first: 412, last: 418 });
  for (const text of [null, "", "0", "-3", "4-", "a", "1-2-3", "9999999999999"]) assert.equal(parseRange(text), null, String(text));
  assert.equal(rangeText({ first: 3, last: 3 }), "3");
  assert.equal(rangeText({ first: 3, last: 9 }), "3-9");
});

test("shift extends from the line first clicked", () => {
  assert.deepEqual(extended(null, 5), { first: 5, last: 5 });
  assert.deepEqual(extended({ first: 5, last: 5 }, 2), { first: 2, last: 5 });
});

test("marks step and stop at the ends", () => {
  assert.equal(nextMark([3, 9], 3), 9);
  assert.equal(nextMark([3, 9], 9), null);
  assert.equal(previousMark([3, 9], 9), 3);
  assert.equal(previousMark([3, 9], 3), null);
});

test("windows meet without a gap or a line twice, and end with the file", () => {
  assert.deepEqual(windowBefore(301, 200), { start: 101, count: 200 });
  assert.deepEqual(windowBefore(51, 200), { start: 1, count: 50 });
  assert.equal(windowBefore(1, 200), null);
  assert.deepEqual(windowAfter(300, 200, 350), { start: 301, count: 50 });
  assert.deepEqual(windowAfter(300, 200, null), { start: 301, count: 200 });
  assert.equal(windowAfter(350, 200, 350), null);
});
