// Round ticks: for time (in wall-clock microseconds) and for values.
import { clock, day } from "./format.js";
import { toPlace } from "./axis.js";

const SECOND = 1e6;
const DAY = 86400 * SECOND;
const STEPS = [
  1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5,
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  60 * SECOND, 120 * SECOND, 300 * SECOND, 600 * SECOND, 900 * SECOND, 1800 * SECOND,
  3600 * SECOND, 7200 * SECOND, 10800 * SECOND, 21600 * SECOND, 43200 * SECOND,
  86400 * SECOND, 172800 * SECOND, 604800 * SECOND, 2592000 * SECOND,
];

export function timeStep(span, most) {
  return STEPS.find((step) => span / step <= most) ?? STEPS[STEPS.length - 1] * Math.ceil(span / STEPS[STEPS.length - 1] / most);
}

export function timeTicks(axis, most, window = {}) {
  const open = axis.pieces.filter((piece) => !piece.folded);
  const span = open.reduce((sum, piece) => sum + (piece.end - piece.start), 0);
  const step = timeStep(span || 1, Math.max(most, 1));
  const shift = window.shift ?? 0;
  const ticks = [];
  for (const piece of open) {
    for (let at = Math.ceil((piece.start + shift) / step) * step; at <= piece.end + shift; at += step) {
      ticks.push({ at: at - shift, place: toPlace(axis, at - shift), label: tickLabel(at, step, window) });
    }
  }
  return spaced(ticks, 0.6 / Math.max(most, 1));
}

// Of the ticks that are shown the first behind a fold that hides a midnight names its day.
export function daysNamed(ticks, axis, window = {}) {
  if (window.dated === false) return ticks;
  const shift = window.shift ?? 0;
  const midnights = axis.pieces.filter((piece) => piece.folded && dayOf(piece.start + shift) !== dayOf(piece.end + shift));
  const first = new Set(midnights.map((piece) => ticks.find((tick) => tick.at >= piece.end)));
  return ticks.map((tick) => (first.has(tick) && tick.label.includes(":") ? { ...tick, label: `${day(tick.at + shift)} ${tick.label}` } : tick));
}

const dayOf = (at) => Math.floor(at / DAY);

function spaced(ticks, least) {
  const kept = [];
  for (const tick of ticks) {
    if (!kept.length || tick.place - kept[kept.length - 1].place >= least) kept.push(tick);
  }
  return kept;
}

function tickLabel(at, step, window) {
  if (step >= 86400 * SECOND) return day(at);
  const midnight = at % (86400 * SECOND) === 0;
  if (midnight && window.end - window.start > 86400 * SECOND) return day(at);
  if (step < SECOND) return clock(at, { fraction: 3 });
  return clock(at, { seconds: step < 60 * SECOND });
}

export function niceMax(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((one) => one * power >= value * 0.9999) * power;
}

function between(min, max) {
  const ticks = [];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10) ticks.push(power, 2 * power, 5 * power);
  return ticks.filter((tick) => tick >= min * 0.999 && tick <= max * 1.001);
}

// Ages read in their own units: from a millisecond in powers of ten to the second, then minutes, hours and days.
const WHOLE_AGES = [1, 2, 5, 10, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000];
const AGES = [1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 21600, 86400, 864000];

export function ageTicks(min, max) {
  const ticks = AGES.filter((age) => age >= min * 0.999 && age <= max * 1.001);
  if (ticks.length < 2) {
    const fine = WHOLE_AGES.filter((age) => age >= min * 0.999 && age <= max * 1.001);
    const apart = fine.filter((age) => age === fine[fine.length - 1] || 3 * age <= fine[fine.length - 1]).slice(-2);
    return apart.length && min >= 1 ? apart : logTicks(min, max);
  }
  return ticks.length > 4 ? ticks.filter((_, index) => index % 2 === (ticks.length - 1) % 2) : ticks;
}

// Sizes in KiB by powers of two, at most four of them.
export function sizeTicks(min, max) {
  const powers = [];
  for (let size = 4 ** Math.ceil(Math.log(min) / Math.log(4) - 1e-9); size <= max * 1.001; size *= 4) powers.push(size);
  const every = Math.ceil(powers.length / 4);
  return powers.length < 2 ? between(min, max) : powers.filter((_, index) => (powers.length - 1 - index) % every === 0);
}

export function logTicks(min, max) {
  const ticks = [];
  const last = Math.floor(Math.log10(max) + 1e-9);
  for (let power = Math.floor(Math.log10(min) + 1e-9); power <= last; power += 1) ticks.push(10 ** power);
  if (ticks.filter((tick) => tick >= min * 0.999).length < 2) return between(min, max);
  return ticks.length > 4 ? ticks.filter((_, index) => index % 2 === (ticks.length - 1) % 2) : ticks;
}
