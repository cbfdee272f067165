// One large file by the tus protocol, in pieces. A connection, a session or a browser that ends stops nothing but the piece under
// way: it is tried until it is whole, paused or discarded, and the same file goes on where it stopped when chosen again.
//   data-resumable  where uploads are begun     data-csrf-cookie  its value changes with each sign-in
import { fingerprint, nextStep, pauseMs, pieceBytes, resumable, waitingWords } from "../../lib/resume.js";
import { makeControl } from "./control.js";
import { csrfToken } from "./send.js";

export function makeResumableSender(form) {
  return async ({ file, path, row }, fields, opened) => {
    await import("../../../vendor/tus.min.js");
    const store = globalThis.tus.defaultOptions.urlStorage;
    const print = fingerprint(path, file);
    const known = resumable(await store.findUploadsByFingerprint(print), fields.case);
    const state = { url: known?.uploadUrl ?? null, key: known?.urlStorageKey, tries: 0, facts: {}, opened, fields, fresh: known?.fresh ?? !fields.case };
    const control = makeControl(row);
    const forget = () => { if (state.key) store.removeUpload(state.key); state.key = null; };
    const keep = async () => {
      forget();
      state.key = await store.addUpload(print, { uploadUrl: state.url, case: state.facts.case, fresh: state.fresh, begun: Date.now() });
    };
    try {
      return await sentWhole({ form, file, path, row, state, control, keep, forget });
    } finally {
      control.end();
    }
  };
}

async function sentWhole(sending) {
  const { row, state, control, forget } = sending;
  for (;;) {
    const answer = await attempt(sending);
    if (control.isDiscarded) return discarded(sending);
    if (answer.ok) {
      forget();
      return { ok: true, url: state.facts.url, message: state.facts.message };
    }
    if (control.isPaused) {
      row.waiting("Paused. The pieces that arrived are kept.");
      await control.change(null);
      continue;
    }
    const step = answer.unreadable ? "refused" : nextStep(answer.status, state.tries);
    if (step === "refused") return answer;
    if (step === "anew") { forget(); state.url = null; } else row.waiting(waitingWords(step, answer.status >= 500 ? answer.error : ""), step === "sign-in");
    await control.change(pauseMs(step, state.tries));
    state.tries += 1;
  }
}

// From where the server stands to the end, or to the first error.
function attempt({ form, file, path, row, state, control, keep }) {
  return new Promise((resolve) => {
    if (control.isPaused || control.isDiscarded) { resolve({ ok: false }); return; }
    const chunk = pieceBytes(state.tries);
    let isStopped = false;
    const upload = new globalThis.tus.Upload(file, {
      endpoint: state.url ? null : form.dataset.resumable,
      uploadUrl: state.url,
      chunkSize: chunk,
      retryDelays: null,
      storeFingerprintForResuming: false,
      metadata: { ...state.fields, filename: path },
      onBeforeRequest: async (request) => {
        request.setHeader("X-CSRFToken", csrfToken(form));
        const sum = request.getMethod() === "PATCH" && (await checksum(file, Number(request.getHeader("Upload-Offset")), chunk));
        if (isStopped) throw new Error("stopped"); // the client would send what was stopped while its checksum was made
        if (sum) request.setHeader("Upload-Checksum", sum);
      },
      onAfterResponse: (_request, response) => noteFacts(state, response),
      onUploadUrlAvailable: () => {
        state.url = upload.url;
        keep();
        state.opened(state.facts.case);
      },
      onChunkComplete: () => { state.tries = 0; },
      onProgress: (sent) => { if (!isStopped) row.progress(sent); },
      onSuccess: () => resolve({ ok: true }),
      onError: (error) => resolve(failed(error)),
    });
    control.stop = () => { isStopped = true; upload.abort(); resolve({ ok: false }); };
    upload.start();
  });
}

function failed(error) {
  const unreadable = /NotReadable|NotFound/.test(`${error.causingError?.name} ${error.name}`);
  if (unreadable) return { ok: false, unreadable, error: "The file can no longer be read: it was changed, moved or removed. Choose it again." };
  const response = error.originalResponse;
  return { ok: false, status: response?.getStatus() ?? 0, error: response?.getBody()?.trim().slice(0, 400) };
}

function noteFacts(state, response) {
  const facts = { case: response.getHeader("Lockscope-Case"), url: response.getHeader("Lockscope-Case-Url"), message: decodeURIComponent(response.getHeader("Lockscope-Message") ?? "") };
  for (const [name, value] of Object.entries(facts)) if (value) state.facts[name] = value;
}

async function discarded({ form, state, forget }) {
  forget();
  // A piece that was just broken off may hold the upload for a moment.
  for (let tries = 0; state.url && tries < 5; tries += 1) {
    const answer = await fetch(state.url, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0", "X-CSRFToken": csrfToken(form) } }).catch(() => null);
    if (answer && answer.status !== 423) break;
    await new Promise((resolve) => { setTimeout(resolve, 500); });
  }
  return { ok: false, isDiscarded: true };
}

// Pages without a safe address have no crypto; there the connection's own checks must do.
async function checksum(file, from, length) {
  if (!globalThis.crypto?.subtle) return "";
  const bytes = await file.slice(from, from + length).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256 ${btoa(String.fromCharCode(...digest))}`;
}
