import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint, nextStep, pauseMs, pieceBytes, resumable, waitingWords } from "../../static/js/lib/resume.js";

test("a file that was changed is another file", () => {
  const file = { size: 5, lastModified: 7 };
  assert.equal(fingerprint("a/b", file), fingerprint("a/b", { ...file }));
  for (const other of [{ ...file, size: 6 }, { ...file, lastModified: 8 }]) assert.notEqual(fingerprint("a/b", file), fingerprint("a/b", other));
  assert.notEqual(fingerprint("a/b", file), fingerprint("b", file));
});

test("an upload goes on only towards its case, the youngest first", () => {
  const entries = [{ case: "CS-1", fresh: true, begun: 1 }, { case: "CS-2", fresh: false, begun: 3 }, { case: "CS-3", fresh: true, begun: 2 }];
  assert.equal(resumable(entries, "CS-2").case, "CS-2");
  assert.equal(resumable(entries, "CS-1").case, "CS-1");
  assert.equal(resumable(entries, "CS-9"), null);
  assert.equal(resumable(entries, undefined).case, "CS-3");
});

test("a broken connection and an ended session are waited for, a refusal is not", () => {
  for (const status of [0, 409, 460, 502]) assert.equal(nextStep(status, 50), "again");
  assert.equal(nextStep(401, 1000), "sign-in");
  assert.equal(nextStep(403, 0), "sign-in");
  assert.equal(nextStep(403, 5), "refused");
  assert.equal(nextStep(410, 0), "anew");
  assert.equal(nextStep(404, 3), "refused");
  assert.equal(nextStep(423, 99), "held");
  for (const status of [400, 413, 415, 422]) assert.equal(nextStep(status, 0), "refused");
});

test("a line that breaks again and again gets smaller pieces", () => {
  assert.deepEqual([0, 1, 2, 50].map(pieceBytes), [8 << 20, 8 << 20, 1 << 20, 1 << 20]);
});

test("pauses grow to twenty seconds, and the words say what is waited for", () => {
  assert.deepEqual([0, 1, 5, 500].map((tries) => pauseMs("again", tries)), [300, 1000, 20_000, 20_000]);
  assert.equal(pauseMs("anew", 2), 0);
  assert.match(waitingWords("again", ""), /connection is lost/);
  assert.equal(waitingWords("again", "no room"), "no room");
  assert.match(waitingWords("sign-in", "x"), /^Your session has ended/);
});
