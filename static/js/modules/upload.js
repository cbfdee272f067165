// The upload form. Each file goes in one request of its own (field "file", beside "relative_path" and the form's other
// fields), so bytes, rate and time left are known and one refused file does not stop the rest.
//   data-max-bytes   limit of one upload           [data-drop] [data-folder] [data-paste] [data-send-paste] [data-sending]
// The answer is JSON: {fields: {...} kept for the next files, url: where to go after the last, message: words beside
// the file (optional)}; an error {error: "words"}.
// Without JavaScript the same form posts the same fields.
import { requestErrorText } from "../lib/format.js";
import { relativePath, refusal, transcriptName } from "../lib/transfer.js";
import { announce } from "./live.js";
import { droppedFiles } from "./upload/dropped.js";
import { sendingRow } from "./upload/sending-row.js";
import { makeUploader } from "./upload/send.js";

export default function upload(form) {
  const list = form.querySelector("[data-sending]");
  const drop = form.querySelector("[data-drop]");
  const paste = form.querySelector("[data-paste]");
  const send = makeUploader(form);
  const queue = [];
  let running = false;
  let failed = 0;

  const add = (entries) => {
    for (const { file, path } of entries) {
      const row = sendingRow(list, relativePath(file, path), file.size);
      const words = refusal(file, Number(form.dataset.maxBytes));
      if (words) { row.fail(words); failed += 1; } else queue.push({ file, path: relativePath(file, path), row });
    }
    list.hidden = false;
    run();
  };

  const run = async () => {
    if (running) return;
    running = true;
    let url = null;
    while (queue.length) {
      const { file, path, row } = queue.shift();
      const answer = await send(file, path, row, queue.length);
      if (answer.ok) { url = answer.url ?? url; row.done(answer.message); } else { failed += 1; row.fail(answer.error ?? requestErrorText(answer.status)); }
    }
    running = false;
    finish(url);
  };

  const finish = (url) => {
    if (failed) announce(`${failed} of the files could not be sent`);
    else announce("All files are sent");
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
  listenForDrops(drop, add);

  const warn = (event) => { if (running) event.preventDefault(); };
  addEventListener("beforeunload", warn);
  return () => removeEventListener("beforeunload", warn);
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

function listenForDrops(drop, add) {
  if (!drop) return;
  let depth = 0;
  drop.addEventListener("dragenter", (event) => { event.preventDefault(); depth += 1; drop.classList.add("is-over"); });
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("dragleave", () => { depth -= 1; if (depth <= 0) drop.classList.remove("is-over"); });
  drop.addEventListener("drop", async (event) => {
    event.preventDefault();
    depth = 0;
    drop.classList.remove("is-over");
    add(await droppedFiles(event.dataTransfer));
  });
}
