// Who waits for whom, laid out by dagre from left to right. data-source: id of a json_script {boxes, arrows, groups, opened, total}
// (see lib/wait-boxes.js). A click on a small group opens its boxes, which the address keeps (data-address="yes"), and on a large one
// a list; an arrow loads its lines into data-edge (a selector). Pointing at a box or focusing it shows what would end if it were
// free, in words in [data-what-if]; a click keeps that until the next one.
import { Graph, layout } from "../../vendor/dagre.esm.js";
import { duration, thousands } from "../lib/format.js";
import { collapsed, cut, freedBy, smooth, span } from "../lib/wait-boxes.js";
import { announce } from "./live.js";
import { saidAlready } from "./request-errors.js";

const SVG = "http://www.w3.org/2000/svg";
const PAD = 24;
const BADGE = 30; // above a root stands what it holds, below it what that is of all waits
const SQUARES = 22;
const STEP = 1.25;
const LEAST = 0.8; // smaller, and the words could not be read: then it scrolls
const DRAWN_MEMBERS = 12; // more boxes than these are read better as a list
const MARGIN = 17;

export default function waitGraph(host) {
  const source = document.getElementById(host.dataset.source);
  if (!source) return undefined; // the next dump took its place already
  const data = JSON.parse(source.textContent);
  const view = { host, data, opened: new Set(data.opened), scale: 0, words: document.querySelector("[data-what-if]"), chosen: chosenArrow(data), kept: null };
  view.before = view.words?.textContent ?? "";
  draw(view);
  toRoot(view);
  host.addEventListener("pointerover", (event) => point(view, event.target.closest?.(".graph-box")));
  host.addEventListener("pointerleave", () => point(view, null));
  host.addEventListener("focusin", (event) => point(view, event.target.closest?.(".graph-box")));
  host.addEventListener("focusout", () => point(view, null));
  host.addEventListener("click", (event) => act(view, event));
  host.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") act(view, event);
  });
  const zoom = (event) => {
    const button = event.target.closest?.("[data-zoom]");
    if (button?.dataset.zoom === "close") show(view, []);
    else if (button) scaleTo(view, button.dataset.zoom === "fit" ? 0 : view.now * (button.dataset.zoom === "in" ? STEP : 1 / STEP));
  };
  const card = host.closest(".card");
  card?.addEventListener("click", zoom);
  const resized = new ResizeObserver(() => { if (!view.scale) scaleTo(view, 0); });
  resized.observe(host);
  const walked = () => walk(view);
  if (host.dataset.edge && host.dataset.address === "yes") addEventListener("popstate", walked);
  return () => { card?.removeEventListener("click", zoom); resized.disconnect(); removeEventListener("popstate", walked); };
}

// The ends of the chains matter first, also where a phone shows a corner of the drawing only.
function toRoot(view) {
  const root = view.plan.boxes.find((box) => box.root) ?? view.plan.boxes.find((box) => box.cycle != null);
  if (!root) { view.host.scrollLeft = view.host.scrollWidth; return; }
  view.host.scrollLeft = (root.x + PAD) * view.now - view.host.clientWidth / 2;
  view.host.scrollTop = (root.y + PAD) * view.now - view.host.clientHeight / 2;
}

// The arrow that the address names, or the one whose lines the server shows where it names none.
function chosenArrow(data) {
  const query = new URLSearchParams(location.search);
  return JSON.stringify(query.has("from") ? [query.get("from"), query.get("to")] : (data.chosen ?? []));
}

function draw(view) {
  const plan = planOf(collapsed(view.data, view.opened), view.data.cycles);
  view.plan = plan;
  const svg = shape("svg", { width: plan.width, height: plan.height, viewBox: `${-PAD} ${-PAD} ${plan.width} ${plan.height}`, role: "group", "aria-label": words(view.data) });
  svg.append(head("arrow", ""), head("arrow-cycle", " is-cycle"), head("arrow-chosen", " is-chosen"));
  svg.append(...plan.cycles.map(cycleOf), ...plan.arrows.map((arrow) => arrowOf(view, arrow)), ...plan.boxes.map((box) => boxOf(view, box)));
  view.svg = svg;
  view.host.replaceChildren(svg);
  view.host.closest(".card")?.querySelectorAll('[data-zoom="close"]').forEach((button) => { button.hidden = !view.opened.size; });
  scaleTo(view, view.scale);
}

function planOf({ boxes, arrows }, words) {
  const graph = new Graph({ compound: true, multigraph: false });
  const above = boxes.some((box) => box.root) ? BADGE : 0;
  graph.setGraph({ rankdir: "LR", marginy: above, nodesep: above ? 26 + BADGE : 26, ranksep: 28, edgesep: 14 });
  graph.setDefaultEdgeLabel(() => ({}));
  const cycles = new Set(boxes.map((box) => box.cycle).filter((cycle) => cycle != null));
  for (const cycle of cycles) graph.setNode(`cycle ${cycle}`, { cycle });
  for (const box of boxes) {
    graph.setNode(box.id, { width: box.group ? 208 : 132, height: box.group ? 66 : 54 });
    if (box.cycle != null) graph.setParent(box.id, `cycle ${box.cycle}`);
  }
  for (const arrow of arrows) {
    const text = arrowText(arrow);
    if (arrow.from !== arrow.to) graph.setEdge(arrow.from, arrow.to, { width: text.length * 6.2 + 16, height: 20, labelpos: "c", weight: Math.min(20, arrow.count) });
  }
  layout(graph);
  const size = graph.graph();
  return {
    width: size.width + 2 * PAD, height: size.height + 2 * PAD,
    boxes: boxes.map((box) => ({ ...box, ...graph.node(box.id) })),
    arrows: arrows.filter((arrow) => graph.hasEdge(arrow.from, arrow.to)).map((arrow) => ({ ...arrow, ...graph.edge(arrow.from, arrow.to) })),
    cycles: [...cycles].map((cycle) => ({ ...graph.node(`cycle ${cycle}`), words: words ? words[cycle] : "" })),
    inCycle: new Map(boxes.map((box) => [box.id, box.cycle])),
  };
}

const arrowText = (arrow) => [cut(arrow.label, 20), arrow.count > 1 ? `×${thousands(arrow.count)}` : ""].filter(Boolean).join(" ");

function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text) element.textContent = text;
  return element;
}

function head(id, mark) {
  const marker = shape("marker", { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" });
  marker.append(shape("path", { d: "M0 0 10 5 0 10z", class: `graph-arrow${mark}` }));
  return marker;
}

function cycleOf(cycle) {
  const group = shape("g", { class: "graph-cycle" });
  const [x, y] = [cycle.x - cycle.width / 2, cycle.y - cycle.height / 2];
  group.append(shape("rect", { x, y, width: cycle.width, height: cycle.height, rx: 8 }), shape("text", { x: x + 12, y: y + 16 }, `⟳ Cycle of ${cycle.words}`));
  return group;
}

function arrowOf(view, arrow) {
  const inCycle = view.plan.inCycle.get(arrow.from) != null && view.plan.inCycle.get(arrow.from) === view.plan.inCycle.get(arrow.to);
  const chosen = view.chosen === JSON.stringify(arrow.ends) || view.chosen === JSON.stringify([arrow.from, arrow.to]);
  const target = view.host.dataset.edge;
  const group = shape("g", { class: `graph-edge${inCycle ? " is-cycle" : ""}${chosen ? " is-chosen" : ""}`, "data-from": arrow.from, "data-to": arrow.to });
  if (target) Object.entries({ tabindex: 0, role: "button", "aria-label": `${arrow.from} waits for ${arrow.to}: ${arrowText(arrow)}`, "data-ends": JSON.stringify(arrow.ends) }).forEach(([name, value]) => group.setAttribute(name, value));
  const most = Math.max(1, ...view.plan.arrows.map((one) => one.count));
  const mark = chosen ? "arrow-chosen" : inCycle ? "arrow-cycle" : "arrow";
  group.append(
    shape("title", {}, `${arrow.from} waits for ${arrow.to}: ${arrow.label}, ${thousands(arrow.count)} waits, longest ${duration(arrow.longest)}`),
    shape("path", { d: smooth(arrow.points), class: "hit" }),
    shape("path", { d: smooth(arrow.points), class: "line", "stroke-width": 1.25 + 3 * Math.sqrt(arrow.count / most), "marker-end": `url(#${mark})` }),
  );
  const label = shape("g", { class: "label" });
  label.append(shape("rect", { x: arrow.x - arrow.width / 2, y: arrow.y - 10, width: arrow.width, height: 20, rx: 10 }), shape("text", { x: arrow.x, y: arrow.y + 4 }, arrowText(arrow)));
  group.append(label);
  return group;
}

function boxOf(view, box) {
  const { x, y, width, height } = { ...box, x: box.x - box.width / 2, y: box.y - box.height / 2 };
  const group = shape("g", { class: `graph-box is-${box.kind}${box.category ? ` is-category-${box.category}` : ""}${box.root ? " is-root" : ""}${box.cycle != null ? " is-cycle" : ""}`, tabindex: 0, role: box.group ? "button" : "img", "data-box": box.id });
  group.setAttribute("aria-label", box.group ? `${box.label}, ${span(box.members.map((one) => one.id))}: ${thousands(box.waits)} waits. Open` : spoken(box, view.data.total));
  if (box.group) group.append(...groupShapes(box, x, y, width, height));
  else group.append(outline(box, x, y, width, height), shape("text", { x: box.x, y: box.y - 2 + low(box) }, cut(box.id, 18)), shape("text", { x: box.x, y: box.y + 14 + low(box), class: "sub" }, cut(box.sub, 22)));
  if (box.root) {
    group.append(shape("rect", { class: "holds", x: box.x - 46, y: y - 28, width: 92, height: 21, rx: 10 }), shape("text", { x: box.x, y: y - 13, class: "holds" }, `holds ${thousands(box.holds)}`));
    group.append(shape("text", { x: box.x, y: y + height + 16, class: "root" }, `root · ${share(box.ends, view.data.total)}`));
  }
  return group;
}

const low = (box) => (box.kind === "disk" ? 6 : 0); // below the lid
const share = (part, whole) => (whole ? `${Math.round((100 * part) / whole)} % of waits` : "");
const spoken = (box, total) => `${box.id}, ${box.sub}${box.root ? `, root that holds ${box.holds}` : ""}; ${thousands(box.ends)} of ${thousands(total)} waits end once it is free`;

function outline(box, x, y, width, height) {
  if (box.kind !== "disk") return shape("rect", { x, y, width, height, rx: box.kind === "lock" ? height / 2 : 8, class: "body" });
  const drum = shape("g", {});
  drum.append(
    shape("path", { class: "body", d: `M${x} ${y + 7}a${width / 2} 8 0 0 1 ${width} 0v${height - 14}a${width / 2} 8 0 0 1 ${-width} 0z` }),
    shape("path", { class: "lid", d: `M${x} ${y + 7}a${width / 2} 8 0 0 0 ${width} 0` }),
  );
  return drum;
}

// Three cards one behind another; a small square for each member, as dark as its longest wait.
function groupShapes(box, x, y, width, height) {
  const cards = [8, 4, 0].map((by) => shape("rect", { x: x + by, y: y + by, width: width - 8, height: height - 8, rx: 8, class: "body" }));
  const squares = box.members.slice(0, SQUARES).map((member, index) => shape("rect", { class: `square${member.category ? ` is-category-${member.category}` : ""}`, x: x + 10 + index * 7, y: y + 42, width: 5, height: 8, rx: 1, "fill-opacity": (0.25 + 0.75 * ((member.longest ?? 0) / (box.longest || 1))).toFixed(2) }));
  return [
    ...cards,
    shape("text", { x: x + 10, y: y + 18, class: "is-left" }, `${cut(box.label, 16)} · ${thousands(box.waits)} waits`),
    shape("text", { x: x + width - 18, y: y + 18, class: "open" }, box.members.length > DRAWN_MEMBERS ? "list ▸" : "open ▸"),
    shape("text", { x: x + 10, y: y + 34, class: "sub is-left" }, cut(span(box.members.map((one) => one.id)), 32)),
    ...squares,
  ];
}

function act(view, event) {
  const box = event.target.closest?.(".graph-box");
  const edge = event.target.closest?.(".graph-edge[data-ends]");
  if (!box && !edge) return keep(view, null);
  event.preventDefault();
  if (edge) return choose(view, edge);
  if (box.getAttribute("role") !== "button") return keep(view, box);
  const group = view.data.groups.find((one) => one.id === box.dataset.box);
  const panel = view.host.dataset.edge && document.querySelector(view.host.dataset.edge);
  return group && panel && group.members.length > DRAWN_MEMBERS ? list(view, group, panel) : open(view, box.dataset.box);
}

function keep(view, box) {
  view.kept = box && view.kept !== box.dataset.box ? box.dataset.box : null;
  point(view, view.kept ? box : null);
}

// All members of a group beside the drawing, those that wait longest first; each is a link to its arrow.
function list(view, group, panel) {
  const members = view.data.boxes.filter((box) => group.members.includes(box.id)).sort((a, b) => (b.longest ?? 0) - (a.longest ?? 0) || b.waits - a.waits);
  const head = make("div", "card-head");
  head.append(make("h2", "", group.label));
  const draws = head.appendChild(make("button", "button is-small row-end", "Draw as boxes"));
  draws.type = "button";
  draws.addEventListener("click", () => open(view, group.id));
  const rows = make("ul", "group-list");
  for (const member of members) {
    const to = view.data.arrows.find((arrow) => arrow.from === member.id);
    const row = rows.appendChild(make("li", ""));
    const query = new URLSearchParams(location.search);
    if (to) { query.set("from", member.id); query.set("to", to.to); }
    const link = row.appendChild(make(to ? "a" : "span", "name", member.id));
    if (to) link.href = `?${query}`;
    row.append(make("span", "muted", `${thousands(member.waits)} wait${member.waits === 1 ? "" : "s"}${member.longest ? ` · ${duration(member.longest)}` : ""}`));
  }
  panel.replaceChildren(head, rows);
  draws.focus({ preventScroll: true });
  announce(`${group.label}, listed`);
}

function make(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

function open(view, id) {
  show(view, [...view.opened, id]);
  const first = view.data.groups.find((group) => group.id === id)?.members[0];
  view.svg.querySelector(`[data-box="${CSS.escape(first)}"]`)?.focus();
  announce("The group is open");
}

function show(view, opened) {
  view.opened = new Set(opened);
  if (view.host.dataset.address === "yes") {
    const query = new URLSearchParams(location.search);
    if (view.opened.size) query.set("open", opened.join(","));
    else query.delete("open");
    history.replaceState(history.state, "", `?${query}`);
  }
  draw(view);
}

function choose(view, edge) {
  const [from, to] = JSON.parse(edge.dataset.ends);
  const query = new URLSearchParams(location.search);
  query.set("from", from);
  query.set("to", to);
  mark(view, edge);
  if (`?${query}` !== location.search) history.pushState(null, "", `?${query}`);
  fetchEdge(view);
}

function mark(view, edge) {
  view.chosen = edge?.dataset.ends ?? null;
  view.svg.querySelectorAll(".graph-edge").forEach((one) => {
    one.classList.toggle("is-chosen", one === edge);
    one.querySelector(".line").setAttribute("marker-end", `url(#${one === edge ? "arrow-chosen" : one.classList.contains("is-cycle") ? "arrow-cycle" : "arrow"})`);
  });
}

function fetchEdge(view) {
  /** @type {any} */ (window).htmx.ajax("GET", location.search || location.pathname, { target: view.host.dataset.edge, select: view.host.dataset.edge, swap: "outerHTML" }).catch(saidAlready);
}

// Back and forward walk from arrow to arrow.
function walk(view) {
  const ends = chosenArrow(view.data);
  if (ends === view.chosen) return;
  mark(view, [...view.svg.querySelectorAll(".graph-edge")].find((one) => one.dataset.ends === ends));
  view.chosen = ends;
  fetchEdge(view);
}

// What would run on is lit, the rest fades.
function point(view, element) {
  if (!element && view.kept) element = view.svg.querySelector(`[data-box="${CSS.escape(view.kept)}"]`);
  const box = element && view.plan.boxes.find((one) => one.id === element.dataset.box);
  const freed = box && !box.group ? freedBy(view.data.arrows, box.id) : null;
  const opens = (id) => freed.has(id) || Boolean(view.plan.boxes.find((one) => one.id === id)?.members?.every((member) => freed.has(member.id)));
  const lit = freed && freed.size > 1;
  view.svg.classList.toggle("is-asking", Boolean(lit));
  view.svg.querySelectorAll(".graph-box").forEach((one) => one.classList.toggle("is-freed", Boolean(lit && opens(one.dataset.box))));
  view.svg.querySelectorAll(".graph-edge").forEach((one) => one.classList.toggle("is-freed", Boolean(lit && opens(one.dataset.to))));
  if (view.words) view.words.textContent = box && !box.group ? `${thousands(box.ends)} of ${thousands(view.data.total)} waits end once ${box.id} is free` : view.before;
}

function scaleTo(view, scale) {
  const fit = Math.min(1, (view.host.clientWidth - 2 * MARGIN) / view.plan.width);
  view.scale = scale;
  view.now = scale ? Math.min(2.5, Math.max(0.2, scale)) : Math.max(fit, LEAST);
  view.svg.setAttribute("width", Math.round(view.plan.width * view.now));
  view.svg.setAttribute("height", Math.round(view.plan.height * view.now));
}

function words(data) {
  const roots = data.boxes.filter((box) => box.root).map((box) => box.id).join(", ");
  return `Who waits for whom: ${data.boxes.length} names, ${data.arrows.length} arrows${roots ? `; root: ${roots}` : ""}. The tree beside it says the same.`;
}
