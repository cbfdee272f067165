// A lane of nodes by time: a list of all nodes that scrolls in itself, its names pinned at the left; only the rows in view are drawn.
import { columnAt, heatColour, heatShare, MOST_ROWS, ROW_PX, rowsShown, rowWindow } from "../../lib/heat.js";
import { toPlace } from "../../lib/axis.js";
import { valueText } from "../../lib/lane-text.js";
import { make, px } from "./dom.js";

export function heatLane(plot) {
  const scroll = plot.appendChild(make("div", "heat"));
  const list = scroll.appendChild(make("div", "heat-rows"));
  const canvas = list.appendChild(document.createElement("canvas"));
  const names = list.appendChild(make("div", "heat-names"));
  let lane = null;
  let context = null;
  const paint = () => lane && drawRows(scroll, canvas, names, lane, context);
  scroll.addEventListener("scroll", paint);
  return {
    isSlow: true,
    keep(next) { plot.style.height = px(rowsShown(next) * ROW_PX + 10); },
    draw(next, now) {
      [lane, context] = [next, now];
      this.keep(next);
      list.style.height = px(next.rows.length * ROW_PX);
      scroll.tabIndex = next.rows.length > MOST_ROWS ? 0 : -1;
      scroll.setAttribute("role", "group");
      scroll.setAttribute("aria-label", now.sentence(next));
      paint();
    },
    // The cell under a point of the screen.
    cellAt(clientY, at) {
      const row = lane.rows[Math.floor((clientY - list.getBoundingClientRect().top) / ROW_PX)];
      const column = columnAt(lane, at);
      return row && column >= 0 ? { node: row.name, at: lane.times[column], until: lane.ends[column] - 1 } : null;
    },
    destroy: () => scroll.remove(),
  };
}

function drawRows(scroll, canvas, names, lane, context) {
  const { area, axis, plotWidth } = context;
  const height = scroll.clientHeight || MOST_ROWS * ROW_PX;
  const { first, last } = rowWindow(scroll.scrollTop, height, lane.rows.length);
  const top = first * ROW_PX;
  const ratio = globalThis.devicePixelRatio || 1;
  canvas.style.left = px(area.left);
  canvas.style.top = px(top);
  canvas.style.width = px(plotWidth);
  canvas.style.height = px((last - first) * ROW_PX);
  canvas.width = Math.round(plotWidth * ratio);
  canvas.height = Math.round((last - first) * ROW_PX * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const columns = lane.times.map((start, index) => [start, lane.ends[index]].map((at) => Math.round(toPlace(axis, at) * plotWidth)));
  lane.rows.slice(first, last).forEach((row, place) => {
    row.values.forEach((value, index) => {
      const [left, right] = columns[index];
      if (value == null || right < 0 || left > plotWidth) return;
      pen.fillStyle = context.colour(heatColour(lane), heatShare(value, lane));
      pen.fillRect(left, place * ROW_PX + 1, Math.max(2, right - left), ROW_PX - 2);
    });
  });
  names.replaceChildren(...lane.rows.slice(first, last).map((row, place) => {
    const name = make("span", "heat-name");
    name.append(make("bdi", "", row.name));
    name.title = `${row.name}: at most ${valueText(row.peak, lane.unit)}`;
    name.style.top = px(top + place * ROW_PX);
    name.style.width = px(area.left - 6);
    return name;
  }));
}
