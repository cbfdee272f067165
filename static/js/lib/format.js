// Numbers and times as words. Pure functions; times of evidence are wall-clock microseconds printed as they stand.
/** @type {[number, string][]} seconds and letter of a span of time, the longest first */
const SPANS = [[86400, "d"], [3600, "h"], [60, "m"]];
const THIN = "\u2009";

export function thousands(value) {
  if (value == null || Number.isNaN(value)) return "–";
  const [whole, fraction] = String(Math.abs(value)).split(".");
  const grouped = whole.length > 3 ? whole.replace(/\B(?=(\d{3})+$)/g, THIN) : whole;
  return (value < 0 ? "−" : "") + grouped + (fraction ? `.${fraction}` : "");
}

export function figure(value) {
  if (value == null || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return thousands(Math.round(value));
  return thousands(Number(size >= 10 ? value.toFixed(1) : value.toPrecision(2)));
}

export function short(value) {
  const size = Math.abs(value);
  if (size >= 1e9) return `${trim(value / 1e9)}G`;
  if (size >= 1e6) return `${trim(value / 1e6)}M`;
  if (size >= 1e3) return `${trim(value / 1e3)}k`;
  return trim(value);
}

function trim(value) {
  return String(Number(value.toPrecision(3)));
}

// As the pages write them: 350 ms, 28.0 s, 2 m 43 s, 3 h 05 m, 2 d 04 h.
export function duration(seconds) {
  if (seconds == null || Number.isNaN(seconds)) return "–";
  if (seconds > 0 && seconds < 0.0005) return `${trim(seconds * 1e6)} µs`;
  if (seconds > 0 && seconds < 0.9995) return `${(seconds * 1000).toFixed(0)} ms`;
  if (seconds < 120) return `${Math.min(seconds, 119.9).toFixed(1)} s`;
  const whole = Math.floor(seconds); // cut, as in the sentences: a wait has one figure on all pages
  if (whole < 7200) return `${Math.floor(whole / 60)} m ${two(whole % 60)} s`;
  if (whole < 172800) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} m`;
  return `${Math.floor(whole / 86400)} d ${two(Math.floor((whole % 86400) / 3600))} h`;
}

// For axes and other round values: what is zero is left out.
export function shortDuration(seconds) {
  return duration(seconds).replace(/\.0 s$/, " s").replace(/^(\d+ [mhd]) 00 [smh]$/, "$1");
}

// One unit and two digits, for the narrow column of an axis: 17 m, 2.8 h.
export function axisDuration(seconds) {
  for (const [size, unit] of SPANS) if (seconds >= size) return `${Number((seconds / size).toPrecision(2))} ${unit}`;
  return shortDuration(seconds);
}

const two = (value) => String(value).padStart(2, "0");

export function clock(us, { seconds = true, fraction = 0 } = {}) {
  const date = new Date(Math.floor(us / 1000));
  let text = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  if (seconds) text += `:${two(date.getUTCSeconds())}`;
  if (seconds && fraction) text += `.${String(((us % 1e6) + 1e6) % 1e6).padStart(6, "0").slice(0, fraction)}`;
  return text;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function day(us) {
  const date = new Date(Math.floor(us / 1000));
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

// Without a date the microseconds are a time of day.
export function moment(us, window) {
  if (window.dated === false) return clock(us);
  const at = us + (window.shift ?? 0); // see lib/zone.js
  const text = clock(at);
  return window.end - window.start > 86400e6 ? `${day(at)} ${text}` : text;
}

export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = count;
  let unit = 0;
  while (Math.round(value * 10) / 10 >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${thousands(Number(value.toFixed(1)))} ${units[unit]}`;
}

export function agoText(seconds) {
  for (const [size, unit] of SPANS) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit} ago`;
  return "just now";
}

export function requestErrorText(status) {
  if (status === 0) return "The server could not be reached. It is tried again with your next action.";
  if (status === 403) return "Not allowed, or the page was open too long. Load it again and repeat the last step.";
  if (status === 404) return "This is no longer there. Load the page again.";
  if (status === 413) return "That is more than the server takes. The upload page states the limits.";
  if (status === 429) return "Too many requests. Wait a minute and try again.";
  return "The server failed to answer. Try again; if it fails once more, tell the administrator the time.";
}
