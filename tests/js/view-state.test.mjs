import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode, shiftsOf } from "../../static/js/lib/view-state.js";

test("what is written is read back", () => {
  const state = { view: { start: 1925000000000000, end: 1925000600000000 }, nodes: new Set(["0", "clu-n2"]), classes: new Set(["h"]), open: new Set(["12", "40-90"]), as: "table", zone: "utc" };
  assert.deepEqual(decode(`?${encode(state)}`), state);
});

test("other parameters of the address stay", () => {
  const query = encode({ view: null, nodes: null, classes: null, open: new Set(), as: "chart" }, "?q=disk&from=1&to=2&as=table");
  assert.equal(query, "q=disk");
});

test("a malformed address shows the whole", () => {
  for (const search of ["", "?from=1", "?from=9&to=3", "?from=a&to=b", "?from=1e9&to=2e9", "?from=1&to=99999999999999999999", "?nodes=<script>", "?open=x,1.5,", "?as=drawing", "?zone=mars"]) {
    assert.deepEqual(decode(search), { view: null, nodes: null, classes: null, open: new Set(), as: "chart", zone: "case" }, search);
  }
});

test("shifted clocks are read from the address, a form just sent wins", () => {
  assert.deepEqual(shiftsOf("?shift=n1:2.5&shift=n2:-3"), ["n1:2.5", "n2:-3"]);
  assert.deepEqual(shiftsOf("?shift=n1:2.5&shift_node=n1&shift_by=4"), ["n1:4"]);
  assert.deepEqual(shiftsOf("?shift=n1:2.5&shift_node=n1&shift_by=0"), []);
  assert.deepEqual(shiftsOf("?from=1"), []);
});
