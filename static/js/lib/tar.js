// Many small files as one: a tar that is put together of their blobs, so that nothing is read before it is sent.
const BLOCK = 512;
const NAME_BYTES = 100;
const text = new TextEncoder();

// entries: {file, path}; a Blob. Names beyond a hundred bytes go before their file, as GNU tar writes them.
export function tarOf(entries) {
  const parts = [];
  for (const { file, path } of entries) {
    const name = text.encode(path);
    if (name.length > NAME_BYTES) parts.push(header("././@LongLink", name.length + 1, 0, "L"), name, zeros(BLOCK - (name.length % BLOCK)));
    parts.push(header(path, file.size, Math.floor((file.lastModified || 0) / 1000), "0"), file, zeros((BLOCK - (file.size % BLOCK)) % BLOCK));
  }
  return new Blob([...parts, zeros(2 * BLOCK)], { type: "application/x-tar" });
}

const zeros = (count) => new Uint8Array(count);

function header(name, size, modified, type) {
  const bytes = zeros(BLOCK);
  const put = (at, words) => bytes.set(text.encode(words), at);
  const octal = (at, length, value) => put(at, value.toString(8).padStart(length - 1, "0"));
  bytes.set(text.encode(name).subarray(0, NAME_BYTES), 0);
  octal(100, 8, 0o644);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12, size);
  octal(136, 12, Math.max(0, modified));
  put(148, " ".repeat(8));
  put(156, type);
  put(257, "ustar\u000000");
  octal(148, 7, bytes.reduce((sum, byte) => sum + byte, 0));
  bytes[154] = 0;
  return bytes;
}

// What files that go together are called: the folder that all are in, else how many they are.
export function sharedName(paths) {
  const [first, ...others] = new Set(paths.map((path) => (path.includes("/") ? path.split("/")[0] : "")));
  return first && !others.length ? `${first}.tar` : `${paths.length} files.tar`;
}
