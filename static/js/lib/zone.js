// In which zone the timeline names its times: the case's own (as printed), UTC, or the reader's. Pure functions.
//   window {offset_min: minutes east of UTC of the customer's clocks, null where unknown, zone, dated, start, end}
const MINUTE_US = 60e6;

export const ZONES = ["case", "utc", "own"];

export function canSwitch(window) {
  return window.offset_min != null && window.dated !== false;
}

// readerMinutes(us of UTC) gives the reader's offset at that moment: it changes with daylight saving.
export function inZone(window, zone, readerMinutes = systemMinutes) {
  if (!canSwitch(window) || zone === "case" || !ZONES.includes(zone)) return { ...window, shift: 0 };
  const toUtc = -window.offset_min * MINUTE_US;
  if (zone === "utc") return { ...window, shift: toUtc, zone: "UTC" };
  return { ...window, shift: toUtc + readerMinutes(window.start + toUtc) * MINUTE_US, zone: "your time" };
}

function systemMinutes(us) {
  return -new Date(us / 1000).getTimezoneOffset();
}
