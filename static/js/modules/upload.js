// The upload form. A small file goes in one request (field "file", beside "relative_path" and the form's other fields), a large
// one in pieces that can be gone on with (upload/resumable.js), many small ones as one (lib/tar.js); three at a time, and one refused
// file does not stop the rest.
//   data-max-bytes   limit of one upload           [data-drop] [data-folder] [data-paste] [data-send-paste] [data-sending]
//   data-resumable-from  bytes from which a file is sent in pieces          data-case  the case, where the page is that of one
// Files dropped anywhere on the page come from drop-anywhere.js as lockscope:files.
// Either way ends with {ok, url: where to go after the last, message or error: words beside the file}.
// Without JavaScript the same form posts the same fields.
import { requestErrorText } from "../lib/format.js";
import { sharedName, tarOf } from "../lib/tar.js";
import { relativePath, refusal, transcriptName } from "../lib/transfer.js";
import { announce } from "./live.js";
import { sendingRow } from "./upload/sending-row.js";
import { known } from "./upload/known.js";
import { makeResumableSender } from "./upload/resumable.js";
import { formFields, makeUploader } from "./upload/send.js";

const AT_ONCE = 3;
const TOGETHER_FROM = 20;

export default function upload(form) {
  const list = form.querySelector("[data-sending]");
  const drop = form.querySelector("[data-drop]");
  const paste = form.querySelector("[data-paste]");
  const small = makeUploader(form);
  const large = makeResumableSender(form);
  const queue = [];
  const kept = {};
  let opening = null;
  let running = 0;
  let failed = 0;
  let url = null;

  const add = (entries) => {
    for (const { file, path, words: name } of together(entries, form)) {
      const row = sendingRow(list, name ?? relativePath(file, path), file.size, form.dataset.signIn);
      const words = refusal(file, Number(form.dataset.maxBytes));
      if (words) { row.fail(words); failed += 1; } else queue.push({ file, path: relativePath(file, path), row });
    }
    list.hidden = false;
    while (running < AT_ONCE && queue.length) run();
  };

  const run = async () => {
    running += 1;
    while (queue.length) {
      const entry = queue.shift();
      const answer = await inItsCase(entry);
      if (answer.ok) { url = answer.url ?? url; entry.row.done(answer.message); } else if (answer.isDiscarded) entry.row.discarded(); else { failed += 1; entry.row.fail(answer.error || requestErrorText(answer.status)); }
    }
    running -= 1;
    if (!running) finish(url);
  };

  // The first file makes the new case; those beside it wait until its key is known, so that all meet in it.
  const inItsCase = async (entry) => {
    while (opening && !kept.case) await opening;
    const fields = { ...formFields(form), ...kept };
    if (fields.case) return sendOne(entry, fields, () => {});
    let open;
    const mine = new Promise((resolve) => { open = resolve; });
    opening = mine;
    const opened = (key) => {
      if (key) kept.case = key;
      if (opening === mine) opening = null;
      open();
    };
    const answer = await sendOne(entry, fields, opened);
    opened();
    return answer;
  };

  const sendOne = async (entry, fields, opened) => {
    if (entry.file.size < Number(form.dataset.resumableFrom)) return small(entry, fields, opened);
    return (await known(form, entry.file, entry.path, fields)) ?? large(entry, fields, opened);
  };

  const finish = (url) => {
    if (failed) announce(`${failed} of the files could not be sent`);
    else if (url) announce("All files are sent");
    if (!url) return;
    if (!failed) location.assign(url);
    else list.append(onward(url));
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (paste?.value.trim()) sendPaste();
  });
  form.querySelectorAll("input[type=file]").forEach((input) => input.addEventListener("change", () => {
    add([...input.files].map((file) => ({ file, path: "" })));
    input.value = "";
  }));
  const sendPaste = () => {
    if (!paste.value.trim()) { paste.focus(); return; }
    const file = new File([paste.value], transcriptName(new Date()), { type: "text/plain" });
    paste.value = "";
    add([{ file, path: "" }]);
  };
  form.querySelector("[data-send-paste]")?.addEventListener("click", (event) => { event.preventDefault(); sendPaste(); });
  const handed = (/** @type {CustomEvent} */ event) => { drop?.classList.remove("is-over"); add(event.detail); };
  form.addEventListener("lockscope:files", handed);
  form.addEventListener("lockscope:over", (/** @type {CustomEvent} */ event) => drop?.classList.toggle("is-over", event.detail));

  const warn = (event) => { if (running) event.preventDefault(); };
  addEventListener("beforeunload", warn);
  return () => removeEventListener("beforeunload", warn);
}

// Hundreds of small files would each be a request and an upload of its own: they go as one, under the folder they are in.
function together(entries, form) {
  const small = entries.filter(({ file }) => file.size < Number(form.dataset.resumableFrom));
  if (small.length < TOGETHER_FROM) return entries;
  const named = small.map(({ file, path }) => ({ file, path: relativePath(file, path) }));
  const name = sharedName(named.map(({ path }) => path));
  const modified = Math.max(...small.map(({ file }) => file.lastModified || 0));
  const file = new File([tarOf(named)], name, { type: "application/x-tar", lastModified: modified });
  if (refusal(file, Number(form.dataset.maxBytes))) return entries;
  return [...entries.filter((entry) => !small.includes(entry)), { file, path: name, words: `${named.length} files, as ${name}` }];
}

function onward(url) {
  const foot = document.createElement("p");
  foot.className = "card-foot";
  const link = document.createElement("a");
  link.className = "button is-primary";
  link.href = url;
  link.textContent = "Go on with the files that were sent";
  foot.append(link);
  return foot;
}
