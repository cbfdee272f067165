import assert from "node:assert/strict";
import { test } from "node:test";
import { backEdges, layout, rank } from "../../static/js/lib/layers.js";

const node = (id) => ({ id });
const edge = (source, target) => ({ source, target });

test("waiters stand left of what they wait for, at the longest distance", () => {
  const nodes = ["disk", "server", "a", "b"].map(node);
  const edges = [edge("a", "server"), edge("b", "a"), edge("b", "server"), edge("server", "disk")];
  const ranks = rank(nodes, edges);
  assert.deepEqual(Object.fromEntries(ranks), { disk: 3, server: 2, a: 1, b: 0 });
});

test("a cycle is opened at one edge and everything gets a place of its own", () => {
  const nodes = ["a", "b", "c"].map(node);
  const edges = [edge("a", "b"), edge("b", "c"), edge("c", "a")];
  assert.equal(backEdges(nodes, edges).size, 1);
  const plan = layout(nodes, edges);
  const places = [...plan.places.values()].map(({ x, y }) => `${x},${y}`);
  assert.equal(new Set(places).size, 3);
});

test("edges to unknown boxes and to oneself are left out", () => {
  assert.deepEqual(layout([node("a")], [edge("a", "a"), edge("a", "gone")]).edges, []);
});

test("a chain of ten thousand does not overflow the stack", () => {
  const nodes = Array.from({ length: 10000 }, (_, index) => node(index));
  const edges = nodes.slice(1).map((one) => edge(one.id - 1, one.id));
  assert.equal(backEdges(nodes, edges).size, 0);
  assert.equal(rank(nodes, edges).get(9999), 9999);
});
