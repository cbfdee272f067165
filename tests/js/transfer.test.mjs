import assert from "node:assert/strict";
import { test } from "node:test";
import { rateMeter, refusal, relativePath, secondsLeft, transcriptName } from "../../static/js/lib/transfer.js";

test("the rate is that of the last seconds", () => {
  const meter = rateMeter(2000);
  assert.equal(meter.perSecond(), null);
  meter.add(0, 0);
  meter.add(1000, 100);
  meter.add(2000, 200);
  meter.add(3000, 2200);
  meter.add(4000, 4200);
  assert.equal(meter.perSecond(), 2000);
  assert.equal(secondsLeft(6200, 4200, 2000), 1);
  assert.equal(secondsLeft(10, 5, null), null);
});

test("a file above the limit is refused in words before it is sent", () => {
  assert.equal(refusal({ size: 10 }, 10), "");
  assert.match(refusal({ size: 11 * 2 ** 20 }, 10 * 2 ** 20), /^11 MiB is above the limit of 10 MiB/);
  assert.equal(refusal({ size: 11 }, NaN), "");
});

test("the path is the one below the dropped folder", () => {
  assert.equal(relativePath({ name: "a.txt", webkitRelativePath: "" }, "/snap/n1/a.txt"), "snap/n1/a.txt");
  assert.equal(relativePath({ name: "a.txt", webkitRelativePath: "snap/a.txt" }, ""), "snap/a.txt");
  assert.equal(relativePath({ name: "a.txt" }, ""), "a.txt");
  assert.equal(transcriptName(new Date(Date.UTC(2031, 0, 2, 3, 4, 5))), "transcript-2031-01-02-03-04-05.txt");
});
