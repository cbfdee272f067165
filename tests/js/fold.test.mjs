import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { activity, foldName, openedStretches, silences } from "../../static/js/lib/fold.js";

const SECOND = 1e6;
const us = (pairs) => pairs.map(([from, to]) => [from * SECOND, to * SECOND]);

for (const one of JSON.parse(readFileSync(new URL("silences.json", import.meta.url)))) {
  test(one.words, () => {
    const found = silences(us(one.times), { start: one.view[0] * SECOND, end: one.view[1] * SECOND }, us(one.opened), !one.whole);
    assert.deepEqual(found.map(({ start, end }) => [Math.round(start / SECOND), Math.round(end / SECOND)]), one.folds);
  });
}

test("what each kind of lane covers", () => {
  const buckets = [0, 50, 90];
  const series = [{ values: [1, 0, null] }];
  assert.deepEqual(activity([{ kind: "stack", buckets, series }], 10), [[0, 10]], "a stack of zeros is silence");
  assert.deepEqual(activity([{ kind: "line", buckets, series }], 10), [[0, 0], [50, 50]], "a line of zeros is data");
  assert.deepEqual(activity([{ kind: "mirror", bars: [{ start: 3, end: 8 }] }]), [[3, 8]]);
  assert.deepEqual(activity([{ kind: "runs", items: [{ start: 2, end: 58 }, { start: null, end: 4 }] }]), [[2, 58], [4, 4]]);
  assert.deepEqual(activity([{ kind: "flags", items: [{ start: 9, end: 58 }] }]), [[9, 9]], "a flag stands where its finding begins");
  assert.deepEqual(activity([{ kind: "notes", items: [{ at: 5 }] }]), [[5, 5]]);
});

test("the name of an opened fold is its stretch", () => {
  assert.equal(foldName({ start: 195e6, end: 3585.4e6 }), "195-3585");
  assert.deepEqual(openedStretches(new Set(["195-3585", "77"])), us([[195, 3585], [77, 77]]));
});
