// Rate and time left of a transfer, from (time, bytes) samples of the last seconds; and what may be sent at all.
import { bytes } from "./format.js";

export function rateMeter(spanMs = 4000) {
  const samples = [];
  return {
    add(ms, sent) {
      samples.push([ms, sent]);
      while (samples.length > 2 && ms - samples[0][0] > spanMs) samples.shift();
    },
    perSecond() {
      if (samples.length < 2) return null;
      const [first, last] = [samples[0], samples[samples.length - 1]];
      return last[0] > first[0] ? ((last[1] - first[1]) * 1000) / (last[0] - first[0]) : null;
    },
  };
}

export function secondsLeft(total, sent, perSecond) {
  return perSecond > 0 ? Math.max(0, (total - sent) / perSecond) : null;
}

export function refusal(file, maxBytes) {
  if (maxBytes && file.size > maxBytes) return `${bytes(file.size)} is above the limit of ${bytes(maxBytes)} for one upload. Send the parts you need, or ask the administrator to raise the limit.`;
  return "";
}

// A browser leaves webkitRelativePath empty for single files; the server gets a path either way.
export function relativePath(file, dropped) {
  return (dropped || file.webkitRelativePath || file.name).replace(/^\/+/, "");
}

export function transcriptName(when) {
  return `transcript-${when.toISOString().slice(0, 19).replace(/[:T]/g, "-")}.txt`;
}
