// What an upload that broke off does next. Pure functions.
const MiB = 1 << 20;
export const CHUNK = 8 * MiB; // what is sent again at most when a connection breaks
const SMALL_CHUNK = 1 * MiB; // where not even one piece gets through
export const HASHED_BEFORE = 64 * MiB; // above that the browser would need the whole file in memory

export function pieceBytes(triesWithoutProgress) {
  return triesWithoutProgress < 2 ? CHUNK : SMALL_CHUNK;
}

// The same file, chosen again after a reload, is known by this.
export function fingerprint(path, file) {
  return ["lockscope", path, file.size, file.lastModified].join("|");
}

// An upload goes on only towards the case it was meant for. "fresh" ones were begun on a page that opens a new case.
export function resumable(entries, caseKey) {
  return entries.filter((entry) => (caseKey ? entry.case === caseKey : entry.fresh)).sort((a, b) => b.begun - a.begun)[0] ?? null;
}

// 0 is a connection that broke. 403 may be the page's old key against forged requests, which signing in again renews.
export function nextStep(status, tries) {
  if (status === 401) return "sign-in";
  if (status === 403) return tries < 5 ? "sign-in" : "refused";
  if (status === 404 || status === 410) return tries < 3 ? "anew" : "refused";
  if (status === 423) return "held";
  if ([0, 408, 409, 429, 460, 500, 502, 503, 504].includes(status)) return "again";
  if (status === 507) return tries < 10 ? "again" : "refused";
  return "refused";
}

export function pauseMs(step, tries) {
  if (step === "anew") return 0;
  if (step === "sign-in" || step === "held") return 3000;
  return [300, 1000, 2000, 5000, 10_000, 20_000][Math.min(tries, 5)];
}

export function waitingWords(step, words) {
  if (step === "sign-in") return "Your session has ended. Sign in, and sending goes on by itself:";
  if (step === "held") return "Another window is sending this file. This one waits and follows.";
  return words || "The connection is lost. It is tried again by itself; the pieces that arrived are kept.";
}
