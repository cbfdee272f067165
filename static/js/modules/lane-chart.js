// THE timeline of a case. On a .card with .lanes inside:
//   data-source        id of the json_script with the first answer      data-url           where further windows come from
//   data-evidence-url  lines behind a point, into #evidence (optional)  data-notes="yes"   the reader may add notes
// The answer's form stands at the head of js/lib/lane-data.js.
import { clamped, foldAt, fromPlace, makeAxis, panned, rounded, shownUs, stepped, toPlace, zoomed, zoomedOn } from "../lib/axis.js";
import { activity, foldName, openedStretches, silences } from "../lib/fold.js";
import { moment, requestErrorText } from "../lib/format.js";
import { barAt } from "../lib/hit.js";
import { classNames, mirrorMax, overviewBins, sampleIndex } from "../lib/lane-data.js";
import { sentence } from "../lib/lane-text.js";
import { niceMax, timeTicks } from "../lib/ticks.js";
import { decode, encode, shiftsOf } from "../lib/view-state.js";
import { canSwitch, inZone } from "../lib/zone.js";
import { announce } from "./live.js";
import { saidAlready } from "./request-errors.js";
import { boxLane } from "./timeline/boxes.js";
import { chartLane } from "./timeline/chart.js";
import { chartTableSwitch, filterMenu, laneTables, renameTimes, zoneSwitch } from "./timeline/controls.js";
import { make, palette } from "./timeline/dom.js";
import { heatLane } from "./timeline/heat.js";
import { drawAxis, drawFolds, laneLabel } from "./timeline/frame.js";
import { listen } from "./timeline/gestures.js";
import { makeOverview } from "./timeline/overview.js";
import { makeReadout, read } from "./timeline/readout.js";

const BOXES = new Set(["flags", "runs", "bands", "notes"]);
const SETTLE_MS = 160;

export default function laneChart(card) {
  const first = JSON.parse(document.getElementById(card.dataset.source).textContent);
  const timeline = new Timeline(card, first);
  timeline.start();
  return () => timeline.stop();
}

class Timeline {
  constructor(card, first) {
    this.card = card;
    this.data = first;
    this.whole = first.whole ?? { start: first.window.start, end: first.window.end };
    this.state = decode(location.search);
    this.window = inZone({ ...first.window, ...this.whole }, this.state.zone);
    if (this.state.view) this.state.view = clamped(this.state.view, this.whole);
    this.asked = this.openedNow();
    this.colours = palette(card);
    this.views = new Map();
    this.cursor = null;
    this.request = null;
    this.timer = 0;
  }

  get view() { return this.state.view ?? this.whole; }

  start() {
    this.host = this.card.querySelector(".lanes");
    this.least = roomsOf(this.host);
    this.host.replaceChildren();
    this.host.tabIndex = 0;
    this.host.setAttribute("role", "group");
    this.host.setAttribute("aria-label", "Timeline. Arrow keys move the cursor, plus and minus zoom, 0 shows the whole, Enter lists the evidence.");
    this.stack = this.host.appendChild(make("div", "lane-stack"));
    this.readout = makeReadout(this.host);
    this.axisLine = make("div", "lane-axis");
    this.tables = make("div", "lane-tables");
    this.tables.hidden = true;
    this.tables.tabIndex = 0;
    this.tables.setAttribute("role", "region");
    this.tables.setAttribute("aria-label", "The lanes as tables");
    this.host.after(this.axisLine);
    const below = make("div");
    this.axisLine.after(below, this.tables);
    this.overview = makeOverview(below, this.whole, this.data.overview?.values ?? overviewBins(this.data.lanes, this.whole), this.window, (view, moving) => this.look(view, moving));
    this.overviewHost = below;
    this.controls();
    listen(this.host, () => this.area(), this.actions());
    this.watch();
    this.drawFirst();
    this.least = new Map();
    renameTimes(this.window);
    if (this.state.view) this.refine();
  }

  stop() {
    this.unwatch.forEach((undo) => undo());
    this.views.forEach(({ view }) => view.destroy());
    clearTimeout(this.timer);
    this.request?.abort();
  }

  watch() {
    let width = this.host.clientWidth;
    const resize = new ResizeObserver(() => {
      if (Math.abs(this.host.clientWidth - width) < 2 || this.host.hidden) return;
      width = this.host.clientWidth;
      this.draw();
    });
    resize.observe(this.host);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const recolour = () => { this.colours.forget(); this.draw(); };
    const note = (event) => {
      if (this.cursor === null) return;
      event.detail.at = this.cursor;
      event.detail.text = this.momentText(this.cursor);
    };
    const print = () => { document.documentElement.dataset.theme = "light"; recolour(); };
    const printed = () => { delete document.documentElement.dataset.theme; recolour(); };
    scheme.addEventListener("change", recolour);
    addEventListener("beforeprint", print);
    addEventListener("afterprint", printed);
    const look = (/** @type {CustomEvent} */ event) => { event.preventDefault(); this.look(event.detail, false); };
    const back = () => this.back();
    document.addEventListener("lockscope:add-note", note, { capture: true });
    document.addEventListener("lockscope:look", look);
    addEventListener("popstate", back);
    this.unwatch = [
      () => document.removeEventListener("lockscope:look", look), () => removeEventListener("popstate", back),
      () => resize.disconnect(), () => scheme.removeEventListener("change", recolour),
      () => removeEventListener("beforeprint", print), () => removeEventListener("afterprint", printed),
      () => document.removeEventListener("lockscope:add-note", note, { capture: true }),
    ];
  }

  controls() {
    const head = this.card.querySelector(".card-head");
    head.querySelectorAll(".head-room").forEach((room) => room.remove());
    const anchor = head.querySelector(".card-hint");
    const nodes = this.data.lanes.filter((lane) => lane.kind === "mirror").map((lane) => ({ key: laneNode(lane), label: lane.label }));
    const classes = classNames(this.data.lanes).map((name) => ({ key: name, label: name }));
    const add = (menu) => (anchor ? anchor.before(menu) : head.append(menu));
    if (nodes.length > 1) add(filterMenu(nodes, this.state.nodes, { all: nodesNamed(nodes.length, this.data.lock_nodes), label: "Nodes shown" }, (chosen) => this.filter({ nodes: chosen })));
    if (classes.length > 1) add(filterMenu(classes, this.state.classes, { all: classes.map((one) => one.label).slice(0, 4).join(" "), label: "Lock classes shown" }, (chosen) => this.filter({ classes: chosen })));
    const end = anchor ?? head.appendChild(make("div", "card-hint"));
    if (mayNote(this.card)) {
      const button = end.appendChild(make("button", "button is-small", "Add note"));
      button.type = "button";
      button.addEventListener("click", () => document.dispatchEvent(new CustomEvent("lockscope:add-note", { cancelable: true, detail: {} })));
    }
    if (canSwitch(this.window)) end.append(zoneSwitch(this.state.zone, this.data.window.zone, (zone) => this.inZone(zone)));
    end.append(chartTableSwitch(this.state.as, (as) => this.filter({ as })));
  }

  inZone(zone) {
    this.window = inZone({ ...this.data.window, ...this.whole }, zone);
    this.filter({ zone });
    renameTimes(this.window);
  }

  filter(change) {
    Object.assign(this.state, change);
    this.address();
    this.draw();
  }

  lanes() {
    return this.data.lanes.filter((lane) => hasData(lane) && (lane.kind !== "mirror" || !this.state.nodes || this.state.nodes.has(laneNode(lane))));
  }

  area() {
    const style = getComputedStyle(this.card);
    const [label, scale, side] = ["--label", "--scale", "--side"].map((name) => parseFloat(style.getPropertyValue(name)) || 0);
    return { left: label + scale, width: Math.max(40, this.host.clientWidth - label - scale - side), scale };
  }

  // Those of the server where it was asked for this very view: its buckets are as wide as these folds ask for.
  folds() {
    const { start, end } = this.data.window;
    if (this.data.folds && this.asked === this.openedNow() && this.view.start === start && this.view.end === end) return this.data.folds;
    const beyond = [[this.view.start, start], [end, this.view.end]].filter(([from, to]) => from < to); // not known yet, so not silent
    const times = beyond.length ? [...this.times(), ...beyond].sort((a, b) => a[0] - b[0]) : this.times();
    return silences(times, this.view, openedStretches(this.state.open), this.state.view !== null);
  }

  times() {
    if (this.timesOf !== this.data) {
      this.timesOf = this.data;
      this.found = activity(this.data.lanes, this.data.bucket_us);
    }
    return this.found;
  }

  openedNow() { return [...this.state.open].sort().join(","); }

  context() {
    const area = this.area();
    const axis = makeAxis(this.view.start, this.view.end, this.folds());
    const lanes = this.lanes();
    return {
      axis, window: this.window, area, plotWidth: area.width, scaleWidth: area.scale, bucketUs: this.data.bucket_us ?? 1e6, classes: this.state.classes,
      ticks: timeTicks(axis, Math.max(2, Math.floor(area.width / (area.width < 500 ? 64 : 110))), this.window), colour: this.colours.colour, mirrorMax: niceMax(mirrorMax(lanes)) || 1,
      findings: lanes.find((lane) => lane.kind === "flags")?.items ?? [], changes: lanes.find((lane) => lane.id === "settings")?.items ?? [], reach: Math.max(1, (shownUs(axis) / area.width) * 3), sentence: (lane) => sentence(lane, this.window),
      least: this.least,
    };
  }

  draw() {
    const asTable = this.state.as === "table";
    const lanes = this.lanes();
    for (const one of [this.host, this.axisLine, this.overviewHost]) one.hidden = asTable;
    this.tables.hidden = !asTable;
    if (asTable) { laneTables(this.tables, lanes, this.window); return; }
    this.now = this.context();
    this.arrange(lanes);
    for (const lane of lanes) this.views.get(lane.id).view.draw(lane, this.now);
    this.frame();
  }

  // The places of all lanes at once, then a chart at a time: to make them all takes longer than a reader's click may wait.
  async drawFirst() {
    if (this.state.as === "table") return this.draw();
    const lanes = this.lanes();
    const now = this.now = this.context();
    this.arrange(lanes);
    const drawings = lanes.map((lane) => ({ lane, view: this.views.get(lane.id).view }));
    for (const { lane, view } of drawings) view.isSlow ? view.keep(lane) : view.draw(lane, now);
    this.frame();
    for (const { lane, view } of drawings.filter((one) => one.view.isSlow)) {
      await turn();
      if (this.now !== now || !this.host.isConnected) return;
      view.draw(lane, now);
    }
  }

  frame() {
    drawAxis(this.axisLine, this.now);
    drawFolds(this.host, this.stack, this.now, (piece) => this.unfold(piece));
    this.overview.show(this.view);
    this.readout.hide();
  }

  arrange(lanes) {
    const wanted = new Set(lanes.map((lane) => lane.id));
    for (const [id, { row, view }] of this.views) {
      if (wanted.has(id)) continue;
      view.destroy();
      row.remove();
      this.views.delete(id);
    }
    for (const lane of lanes) {
      if (!this.views.has(lane.id)) this.views.set(lane.id, this.newLane(lane));
      this.stack.append(this.views.get(lane.id).row);
    }
  }

  newLane(lane) {
    const row = make("div", lane.kind === "heat" ? "lane is-heat" : "lane");
    row.dataset.lane = lane.id;
    row.append(laneLabel(lane));
    const plot = row.appendChild(make("div", "lane-plot"));
    this.stack.append(row);
    if (lane.kind === "heat") return { row, view: heatLane(plot) };
    return { row, view: BOXES.has(lane.kind) ? boxLane(plot, lane.kind) : chartLane(plot) };
  }

  unfold(piece) {
    this.state.open.add(foldName(piece));
    this.address();
    this.draw();
    this.refine();
  }

  actions() {
    const at = (x) => fromPlace(this.now.axis, (x - this.now.area.left) / this.now.area.width);
    const perPx = () => shownUs(this.now.axis) / this.now.area.width;
    return {
      hover: (x, y) => this.point(at(x), x, y),
      leave: () => this.readout.hide(),
      beginPan: () => this.view,
      panBy: (begun, pixels, moving) => this.look(panned(begun, this.whole, pixels * perPx()), moving),
      beginZoom: (x) => ({ view: this.view, around: at(x) }),
      zoomTo: (begun, factor) => this.look(zoomed(begun.view, this.whole, factor, begun.around), true),
      zoomAt: (x, factor) => this.look(zoomedOn(this.now.axis, this.whole, factor, at(x)), false),
      select: (from, to) => this.look({ start: Math.min(at(from), at(to)), end: Math.max(at(from), at(to)) }, false),
      reset: () => { this.state.open.clear(); this.look(this.whole, false); },
      settle: () => this.look(this.view, false),
      pick: (x, y, lane) => { this.point(at(x), x, y); this.evidence(at(x), lane, y); },
      key: (key, shift) => this.key(key, shift),
    };
  }

  point(at, x, y) {
    const fold = foldAt(this.now.axis, (x - this.now.area.left) / this.now.area.width);
    this.cursor = fold ? null : rounded(at, this.view.end - this.view.start);
    if (fold) return this.readout.hide();
    const rows = read(this.lanes(), at, this.now);
    const hint = this.card.dataset.evidenceUrl && rows.length ? "click: the lines behind it" : "";
    this.readout.show(at, x, y, rows, { ...this.now, hint });
    return rows;
  }

  key(key, shift) {
    const span = this.view.end - this.view.start;
    const inView = this.cursor !== null && this.cursor >= this.view.start && this.cursor <= this.view.end;
    const middle = inView ? this.cursor : fromPlace(this.now.axis, 0.5);
    const move = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (move && shift) this.look(panned(this.view, this.whole, (move * span) / 10), false);
    else if (move) this.moveCursor(stepped(this.now.axis, middle, move * Math.max(this.now.bucketUs, shownUs(this.now.axis) / 200)));
    else if (key === "Home" || key === "End") this.moveCursor(key === "Home" ? this.view.start : this.view.end);
    else if (key === "+" || key === "=") this.look(zoomedOn(this.now.axis, this.whole, 0.5, middle), false);
    else if (key === "-") this.look(zoomed(this.view, this.whole, 2, middle), false);
    else if (key === "0") this.look(this.whole, false);
    else if (key === "Enter") this.evidence(middle, null);
    else return false;
    return true;
  }

  moveCursor(to) {
    const at = Math.min(Math.max(to, this.view.start), this.view.end);
    const rows = this.point(at, this.now.area.left + toPlace(this.now.axis, at) * this.now.area.width, this.host.clientHeight / 2) ?? [];
    this.cursor = at;
    announce(`${this.momentText(at)}: ${rows.map((row) => `${row.name} ${row.value}`).join(", ") || "no data"}`);
  }

  momentText(at) { return `${moment(at, this.window)}${this.window.zone ? ` ${this.window.zone}` : ""}`; }

  // A click on a lane asks for that lane's lines at the sample under it; a key press asks for the first lane that has one.
  evidence(at, laneId, y) {
    const lanes = this.lanes().filter((lane) => !BOXES.has(lane.kind) && (laneId == null || lane.id === laneId));
    for (const lane of lanes) {
      const point = this.pointOf(lane, at, y);
      if (point) return this.askFor({ lane: lane.id, ...point });
    }
  }

  // What is asked for at a moment of a lane: its sample, or in a list of nodes the cell, which has a node and a length.
  pointOf(lane, at, y) {
    if (lane.kind === "heat") return y === undefined ? null : this.views.get(lane.id).view.cellAt(y + this.host.getBoundingClientRect().top, at);
    return sampleAt(lane, at, this.now);
  }

  askFor(point) {
    const url = this.card.dataset.evidenceUrl;
    if (!url) return;
    const asked = new URL(url, location.href);
    for (const [name, value] of Object.entries(point)) asked.searchParams.set(name, value);
    shiftsOf(location.search).forEach((one) => asked.searchParams.append("shift", one));
    globalThis.htmx.ajax("GET", `${asked.pathname}${asked.search}`, { target: "#evidence", swap: "innerHTML" }).catch(saidAlready);
  }

  look(view, moving) {
    const whole = view.start <= this.whole.start && view.end >= this.whole.end;
    const span = view.end - view.start;
    const next = moving ? view : { start: rounded(view.start, span), end: rounded(view.end, span) };
    this.state.view = whole ? null : clamped(next, this.whole);
    this.draw();
    if (moving) return;
    this.address(true);
    this.refine();
  }

  // Where an earlier step of the history names another window.
  back() {
    const { view } = decode(location.search);
    const next = view ? clamped(view, this.whole) : null;
    if (next?.start === this.state.view?.start && next?.end === this.state.view?.end) return;
    this.state.view = next;
    this.draw();
    document.dispatchEvent(new CustomEvent("lockscope:view", { detail: { query: location.search.slice(1) } }));
    this.refine();
  }

  // A zoom is a step that the reader can go back; a filter is not.
  address(isStep = false) {
    const query = encode(this.state, location.search);
    const now = `${location.pathname}${query ? `?${query}` : ""}${location.hash}`;
    if (isStep && now !== `${location.pathname}${location.search}${location.hash}`) history.pushState(null, "", now);
    else history.replaceState(history.state, "", now);
    document.dispatchEvent(new CustomEvent("lockscope:view", { detail: { query } }));
  }

  refine() {
    clearTimeout(this.timer);
    if (this.card.dataset.url) this.timer = setTimeout(() => this.fetch(), SETTLE_MS);
  }

  async fetch() {
    this.request?.abort();
    this.request = new AbortController();
    const { start, end } = this.view;
    const open = this.openedNow();
    const url = new URL(this.card.dataset.url, location.href);
    for (const [name, value] of Object.entries({ from: start, to: end, width: Math.round(this.area().width), ...(open && { open }) })) url.searchParams.set(name, value);
    shiftsOf(location.search).forEach((one) => url.searchParams.append("shift", one));
    const busy = this.host.appendChild(make("div", "lane-loading"));
    try {
      const answer = await fetch(url, { signal: this.request.signal, headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(requestErrorText(answer.status));
      this.data = await answer.json();
      this.asked = open;
      this.draw();
      announce(`Timeline from ${this.momentText(start)} to ${this.momentText(end)}`);
    } catch (error) {
      if (error.name !== "AbortError") document.dispatchEvent(new CustomEvent("lockscope:error", { detail: error instanceof TypeError ? requestErrorText(0) : error.message }));
    } finally {
      busy.remove();
    }
  }
}

// Heights that the page has kept for the lanes of boxes: the first drawing takes no less, so that nothing below moves up.
const roomsOf = (host) => new Map([...host.querySelectorAll(".lane-room")].map((room) => [room.dataset.room, room.querySelector(".lane-plot").offsetHeight]));
const turn = () => new Promise((done) => setTimeout(done));
const nodesNamed = (shown, all) => (all > shown ? `busiest ${shown} of ${all} nodes` : "all nodes");
const mayNote = (card) => card.dataset.notes === "yes";
const laneNode = (lane) => String(lane.node ?? lane.label);
const hasData = (lane) => (lane.bars ? mirrorMax([lane]) > 0 : (lane.items ?? lane.buckets ?? lane.rows ?? []).length > 0);

function sampleAt(lane, at, context) {
  if (lane.kind === "mirror") {
    const bar = barAt(lane.bars, at, context.reach);
    return bar ? { at: bar.start } : null;
  }
  const index = sampleIndex(lane, at, Math.max(context.bucketUs, context.reach));
  return index < 0 ? null : { at: lane.buckets[index], ...(lane.ends ? { until: lane.ends[index] } : {}) };
}
