import assert from "node:assert/strict";
import { test } from "node:test";
import { collapsed, cut, freedBy, smooth, span } from "../../static/js/lib/wait-boxes.js";

const box = (id, waits = 1, longest = 5) => ({ id, waits, longest });
const arrow = (from, to, count = 1, label = "call") => ({ from, to, count, label, longest: count });
const data = {
  boxes: [box("a", 3, 9), box("b", 2), box("server", 4), box("disk", 0)],
  arrows: [arrow("a", "server", 3, "read"), arrow("b", "server", 2, "write"), arrow("server", "disk", 4)],
  groups: [{ id: "g1", label: "2 waiters", members: ["a", "b"] }],
};

test("a closed group is one box, and its arrows are added up", () => {
  const { boxes, arrows } = collapsed(data, new Set());
  assert.deepEqual(boxes.map(({ id }) => id), ["g1", "server", "disk"]);
  assert.deepEqual([boxes[0].waits, boxes[0].longest, boxes[0].members.length], [5, 9, 2]);
  const first = arrows.find((one) => one.from === "g1");
  assert.deepEqual([first.to, first.count, first.label, first.ends], ["server", 5, "read", ["a", "server"]]);
});

test("an open group shows its members", () => {
  const { boxes, arrows } = collapsed(data, new Set(["g1"]));
  assert.deepEqual(boxes.map(({ id }) => id), ["a", "b", "server", "disk"]);
  assert.equal(arrows.length, 3);
});

test("arrows among the members of a closed group are not drawn", () => {
  const within = { ...data, arrows: [...data.arrows, arrow("a", "b")] };
  assert.equal(collapsed(within, new Set()).arrows.length, 2);
});

test("who has another wait is not freed", () => {
  const arrows = [arrow("a", "server"), arrow("b", "server"), arrow("b", "other"), arrow("server", "disk")];
  assert.deepEqual([...freedBy(arrows, "disk")].sort(), ["a", "disk", "server"]);
  assert.deepEqual([...freedBy(arrows, "other")], ["other"]);
});

test("a circle is broken by any of its members", () => {
  assert.equal(freedBy([arrow("a", "b"), arrow("b", "a")], "a").size, 2);
});

test("words and paths", () => {
  assert.equal(span(["c01", "c02", "c22"]), "c01 … c22");
  assert.equal(span(["c01", "c02"]), "c01, c02");
  assert.equal(cut("averyverylongname", 9), "aver…name");
  assert.equal(cut("short", 9), "short");
  assert.match(smooth([{ x: 0, y: 0 }, { x: 5, y: 5 }, { x: 10, y: 0 }]), /^M0 0Q5 5 10 0$/);
});
