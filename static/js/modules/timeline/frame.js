// What stands round the drawings: the words at the left of a lane, the time axis below and the folds across all lanes.
import { shortDuration } from "../../lib/format.js";
import { laneColour, nodeColour } from "./chart.js";
import { make, px } from "./dom.js";

const FOLD_WORDS_PX = 62;

export function laneLabel(lane) {
  const label = make("div", `lane-label${lane.quiet ? " is-quiet" : ""}`, lane.label);
  if (lane.sub) label.append(make("span", "sub", lane.sub));
  else if (lane.kind === "line" && lane.unit) label.append(make("span", "sub", lane.scale === "log" ? `${lane.unit}, log scale` : lane.unit));
  for (const { name, colour } of keysOf(lane)) {
    const line = make("span", "key");
    const dot = make("i");
    dot.style.background = `var(--${colour})`;
    line.append(dot, name);
    label.append(line);
  }
  return label;
}

function keysOf(lane) {
  if (lane.kind === "mirror") return lane.sub ? [] : [{ name: "grants ▲ revokes ▼", colour: nodeColour(lane) }];
  if (!lane.series || (lane.kind === "line" && lane.series.length < 2)) return [];
  return lane.series.map((one, index) => ({ name: one.name, colour: laneColour(lane, one.key, index) }));
}

export function drawAxis(host, { axis, ticks, plotWidth }) {
  const put = (place, text, className = "") => {
    const label = make("span", className, text);
    label.style.left = px(place * plotWidth);
    return label;
  };
  const folds = axis.pieces.filter((piece) => piece.folded);
  const centres = folds.map((piece) => (piece.from + piece.to) / 2);
  const clear = ticks.filter((tick) => tick.place * plotWidth < plotWidth - 4 && centres.every((centre) => Math.abs(centre - tick.place) * plotWidth > FOLD_WORDS_PX));
  host.replaceChildren(
    ...clear.map((tick) => put(tick.place, tick.label)),
    ...folds.map((piece, index) => put(centres[index], `${silence(piece)} silent`, "is-fold")),
  );
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
