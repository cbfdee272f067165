// The files of a drop, folders walked to their ends. Entries must be taken before the first await: the list empties after.
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = entries.length ? [] : [...transfer.files].map((file) => ({ file, path: "" }));
  const found = [];
  const waiting = [...entries];
  while (waiting.length) {
    const entry = waiting.shift();
    if (entry.isFile) found.push({ file: await fileOf(entry), path: entry.fullPath });
    else waiting.push(...(await children(entry)));
  }
  return [...plain, ...found];
}

const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

// One call gives at most a hundred names; an empty answer is the end.
async function children(folder) {
  const reader = folder.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
  }
}
