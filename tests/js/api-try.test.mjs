import assert from "node:assert/strict";
import test from "node:test";

import { addressOf, shown } from "../../static/js/modules/api-try.js";

test("parts of the path are put in their places and can't lead elsewhere", () => {
  const fields = [
    { name: "key", value: "../x y", inPath: true },
    { name: "age", value: "10", inPath: false },
    { name: "at", value: "", inPath: false },
  ];
  assert.equal(addressOf("/api/v1/cases/{key}/graph/", fields), "/api/v1/cases/..%2Fx%20y/graph/?age=10");
});

test("JSON is shown in lines, anything else as it came", () => {
  assert.equal(shown('{"a":1}', "application/json"), '{\n "a": 1\n}');
  assert.equal(shown("# CS-1", "text/markdown"), "# CS-1");
  assert.equal(shown("{broken", "application/problem+json"), "{broken");
});
