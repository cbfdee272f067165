// What stands round the drawings: the words at the left of a lane, the time axis below and the folds across all lanes.
import { axisDuration, shortDuration } from "../../lib/format.js";
import { daysNamed } from "../../lib/ticks.js";
import { heatColour, heatKeys } from "../../lib/heat.js";
import { laneColour, nodeColour } from "./chart.js";
import { make, px } from "./dom.js";

const LETTER_PX = 6.2;
const FOLD_LETTER_PX = 5.4;
const RIGHT_PX = 12;

export function laneLabel(lane) {
  const label = make("div", `lane-label${lane.quiet ? " is-quiet" : ""}`, lane.label);
  if (lane.sub) label.append(make("span", "sub", lane.sub));
  else if (lane.kind === "line" && lane.unit) label.append(make("span", "sub", lane.scale === "log" ? `${lane.unit}, log scale` : lane.unit));
  for (const { name, colour, share } of keysOf(lane)) {
    const line = make("span", "key");
    const dot = make("i");
    dot.style.background = `var(--${colour})`;
    if (share) dot.style.opacity = String(share);
    line.append(dot, name);
    label.append(line);
  }
  return label;
}

function keysOf(lane) {
  if (lane.kind === "mirror") return lane.sub ? [] : [{ name: "grants ▲ revokes ▼", colour: nodeColour(lane) }];
  if (lane.kind === "heat") return heatKeys(lane).map((one) => ({ ...one, colour: heatColour(lane) }));
  if (!lane.series || (lane.kind === "line" && lane.series.length < 2)) return [];
  return lane.series.map((one, index) => ({ name: one.name, colour: laneColour(lane, one.key, index) }));
}

export function drawAxis(host, { axis, ticks, plotWidth, window }) {
  const put = (left, text, className = "") => {
    const label = make("span", className, text);
    label.style.left = px(left);
    return label;
  };
  const folds = foldWords(axis, plotWidth);
  const clear = ticks.filter(({ place, label }) => place * plotWidth < plotWidth - 4 && folds.every(({ left, half }) => Math.abs(left - place * plotWidth) > half + (label.length * LETTER_PX) / 2 + 6));
  host.replaceChildren(
    ...daysNamed(clear, axis, window).map((tick) => put(tick.place * plotWidth, tick.label)),
    ...folds.map(({ left, text }) => put(left, text, "is-fold")),
  );
}

// How long each fold is: in few words where two stand close, and never beyond the right end.
function foldWords(axis, plotWidth) {
  let free = -Infinity;
  return axis.pieces.filter((piece) => piece.folded).map((piece) => {
    const words = [`${silence(piece)} silent`, silence(piece), axisDuration((piece.end - piece.start) / 1e6)].map((text) => {
      const half = (text.length * FOLD_LETTER_PX) / 2;
      return { text, half, left: Math.min(((piece.from + piece.to) / 2) * plotWidth, plotWidth + RIGHT_PX - half) };
    });
    const found = words.find(({ left, half }) => left - half > free + 4) ?? words.at(-1);
    free = found.left + found.half;
    return found;
  });
}

const silence = (piece) => shortDuration(Math.round((piece.end - piece.start) / 1e6));

export function drawFolds(host, stack, { axis, area }, unfold) {
  host.querySelectorAll(".fold").forEach((fold) => fold.remove());
  for (const piece of axis.pieces.filter((one) => one.folded)) {
    const fold = make("button", "fold");
    fold.type = "button";
    fold.setAttribute("aria-label", `${silence(piece)} without data folded; press to unfold`);
    fold.append(make("span", "", "↔"));
    fold.style.left = px(area.left + piece.from * area.width);
    fold.style.width = px((piece.to - piece.from) * area.width);
    fold.style.height = px(stack.offsetHeight);
    fold.addEventListener("click", () => unfold(piece));
    host.append(fold);
  }
}
