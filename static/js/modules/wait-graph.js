// Who waits for whom, drawn from left to right. data-source: id of a json_script with {nodes: [{id, label, sub, category,
// root, holds, href}], edges: [{source, target, label, count}]}. The table twin is the server's.
import { layout } from "../lib/layers.js";
import { thousands } from "../lib/format.js";

const SVG = "http://www.w3.org/2000/svg";
const PAD = 28;
const MOST_LETTERS = 16;

export default function waitGraph(host) {
  const data = JSON.parse(document.getElementById(host.dataset.source).textContent);
  const plan = layout(data.nodes, data.edges, { width: 124, height: 54, gapX: Math.min(150, 40 + longest(data.edges) * 6.5), gapY: 30 });
  const svg = shape("svg", { width: plan.width + 2 * PAD, height: plan.height + 2 * PAD, viewBox: `${-PAD} ${-PAD} ${plan.width + 2 * PAD} ${plan.height + 2 * PAD}`, role: "img", "aria-label": words(data) });
  svg.append(arrow("graph-arrow", "arrow"), arrow("graph-arrow is-cycle", "arrow-cycle"));
  const most = Math.max(1, ...data.edges.map((edge) => edge.count ?? 1));
  const drawn = plan.edges.map((edge) => edgeOf(edge, plan, most));
  svg.append(...drawn.map(({ line }) => line), ...data.nodes.map((node) => boxOf(node, plan.places.get(node.id))), ...drawn.filter(({ label }) => label).map(({ label }) => label));
  host.tabIndex = 0;
  host.setAttribute("role", "group");
  host.setAttribute("aria-label", "Who waits for whom");
  host.replaceChildren(svg);
}

const longest = (edges) => Math.max(0, ...edges.map((edge) => edgeText(edge).length));
const edgeText = (edge) => [cut(edge.label ?? ""), edge.count > 1 ? `×${thousands(edge.count)}` : ""].filter(Boolean).join(" ");
const cut = (text, most = MOST_LETTERS + 6) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text) element.textContent = text;
  return element;
}

function arrow(className, id) {
  const marker = shape("marker", { id, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" });
  marker.append(shape("path", { d: "M0 0 10 5 0 10z", class: className }));
  return marker;
}

function edgeOf(edge, plan, most) {
  const from = plan.places.get(edge.source);
  const to = plan.places.get(edge.target);
  const cycle = plan.back.has(edge);
  const a = cycle ? { x: from.x + from.width / 2, y: from.y } : { x: from.x + from.width, y: from.y + from.height / 2 };
  const b = cycle ? { x: to.x + to.width / 2, y: to.y } : { x: to.x - 2, y: to.y + to.height / 2 };
  const bend = cycle ? Math.min(a.y, b.y) - 26 : (a.x + b.x) / 2;
  const d = cycle ? `M${a.x} ${a.y}C${a.x} ${bend} ${b.x} ${bend} ${b.x} ${b.y}` : `M${a.x} ${a.y}C${bend} ${a.y} ${bend} ${b.y} ${b.x} ${b.y}`;
  const line = shape("g", { class: `graph-edge${cycle ? " is-cycle" : ""}` });
  line.append(shape("path", { d, "stroke-width": 1.25 + 2.5 * ((edge.count ?? 1) / most), "marker-end": `url(#${cycle ? "arrow-cycle" : "arrow"})` }));
  const text = edgeText(edge);
  if (!text) return { line, label: null };
  const middle = { x: (a.x + b.x) / 2, y: cycle ? (a.y + b.y) / 2 * 0.25 + bend * 0.75 : (a.y + b.y) / 2 };
  const label = shape("g", { class: "graph-edge" });
  const inner = shape("g", { class: "label" });
  const width = text.length * 6.1 + 12;
  inner.append(shape("rect", { x: middle.x - width / 2, y: middle.y - 9, width, height: 18, rx: 9 }), shape("text", { x: middle.x, y: middle.y + 4 }, text));
  label.append(inner);
  return { line, label };
}

function boxOf(node, place) {
  const group = shape(node.href ? "a" : "g", { class: `graph-box${node.category ? ` is-category-${node.category}` : ""}${node.root ? " is-root" : ""}` });
  if (node.href) group.setAttribute("href", node.href);
  const middle = place.x + place.width / 2;
  group.append(
    shape("title", {}, [node.label, node.sub].filter(Boolean).join(": ")),
    shape("rect", { x: place.x, y: place.y, width: place.width, height: place.height, rx: 8 }),
    shape("text", { x: middle, y: place.y + (node.sub ? 24 : 32) }, cut(node.label, MOST_LETTERS)),
  );
  if (node.sub) group.append(shape("text", { x: middle, y: place.y + 40, class: "sub" }, cut(node.sub, MOST_LETTERS + 3)));
  if (node.root) group.append(shape("text", { x: middle, y: place.y - 8, class: "root" }, node.holds ? `holds ${thousands(node.holds)}` : "root"));
  return group;
}

function words(data) {
  const root = data.nodes.filter((node) => node.root).map((node) => node.label).join(", ");
  return `${data.nodes.length} boxes, ${data.edges.length} waits${root ? `; root: ${root}` : ""}. The table beside it lists them.`;
}
