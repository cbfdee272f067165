import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sharedName, tarOf } from "../../static/js/lib/tar.js";

const file = (text, lastModified = 1_700_000_000_000) => Object.assign(new Blob([text]), { lastModified });

test("tar itself reads what is put together", async () => {
  const long = `${"deep/".repeat(60)}messages.txt`;
  const entries = [
    { file: file("one line\n"), path: "n1/waiters.txt" },
    { file: file(""), path: "n1/empty" },
    { file: file("x".repeat(1024)), path: "n2/\u00fcber.txt" },
    { file: file("far down\n"), path: long },
  ];
  const folder = mkdtempSync(join(tmpdir(), "tar-"));
  const path = join(folder, "all.tar");
  writeFileSync(path, Buffer.from(await tarOf(entries).arrayBuffer()));
  execFileSync("tar", ["-xf", path, "-C", folder]);
  for (const entry of entries) assert.equal(readFileSync(join(folder, entry.path), "utf8"), await entry.file.text());
  assert.match(execFileSync("tar", ["--utc", "-tvf", path]).toString(), /2023-11-14 22:13 n1\/waiters\.txt/);
});

test("files of one folder have its name, others say how many they are", () => {
  assert.equal(sharedName(["snap/a", "snap/b/c"]), "snap.tar");
  assert.equal(sharedName(["snap/a", "b"]), "2 files.tar");
  assert.equal(sharedName(["a", "b", "c"]), "3 files.tar");
});
