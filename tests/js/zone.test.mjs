import assert from "node:assert/strict";
import { test } from "node:test";
import { moment } from "../../static/js/lib/format.js";
import { makeAxis } from "../../static/js/lib/axis.js";
import { timeTicks } from "../../static/js/lib/ticks.js";
import { canSwitch, inZone } from "../../static/js/lib/zone.js";

const NOON = Date.UTC(2027, 2, 15, 12, 0, 0) * 1000;
const window = { start: NOON, end: NOON + 600e6, zone: "CET", offset_min: 60, dated: true };

test("the case's own zone changes nothing", () => {
  assert.equal(moment(NOON, inZone(window, "case")), "12:00:00");
  assert.equal(inZone(window, "nonsense").zone, "CET");
});

test("UTC and the reader's own zone are computed from the offset of the case", () => {
  const utc = inZone(window, "utc");
  assert.equal(`${moment(NOON, utc)} ${utc.zone}`, "11:00:00 UTC");
  const asked = [];
  const own = inZone(window, "own", (us) => { asked.push(us); return 330; });
  assert.equal(moment(NOON, own), "16:30:00");
  assert.deepEqual(asked, [NOON - 3600e6]);
});

test("without a known offset or a date there is nothing to switch", () => {
  assert.equal(canSwitch({ ...window, offset_min: null }), false);
  assert.equal(canSwitch({ ...window, dated: false }), false);
  assert.equal(inZone({ ...window, offset_min: null }, "utc").shift, 0);
});

test("ticks are round in the zone that is shown", () => {
  const day = { ...window, start: NOON, end: NOON + 86400e6 };
  const labels = timeTicks(makeAxis(day.start, day.end), 6, inZone(day, "own", () => 330)).map((tick) => tick.label);
  assert.ok(labels.every((label) => /:00$|^\d+ Mar$/.test(label)), labels.join(" "));
});
