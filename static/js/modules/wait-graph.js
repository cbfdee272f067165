// Who waits for whom, drawn from left to right. data-source: id of a json_script with {nodes: [{id, label, sub, category,
// root, holds, href}], edges: [{source, target, label, count}]}. The table twin is the server's.
import { apart, edgeCurve, labelSpot, pathOf } from "../lib/curves.js";
import { layout } from "../lib/layers.js";
import { thousands } from "../lib/format.js";

const SVG = "http://www.w3.org/2000/svg";
const PAD = 28;
const MOST_LETTERS = 16;
const LABEL_HEIGHT = 18;
const LEAST_SCALE = 0.62; // smaller, and the words could not be read: then it scrolls

export default function waitGraph(host) {
  const data = JSON.parse(document.getElementById(host.dataset.source).textContent);
  const plan = layout(data.nodes, data.edges, { width: 124, height: 54, gapX: Math.min(150, 40 + longest(data.edges) * 6.5), gapY: 30 });
  const svg = shape("svg", { width: plan.width + 2 * PAD, height: plan.height + 2 * PAD, viewBox: `${-PAD} ${-PAD} ${plan.width + 2 * PAD} ${plan.height + 2 * PAD}`, role: "img", "aria-label": words(data) });
  svg.append(arrow("graph-arrow", "arrow"), arrow("graph-arrow is-cycle", "arrow-cycle"));
  const most = Math.max(1, ...data.edges.map((edge) => edge.count ?? 1));
  const drawn = plan.edges.map((edge) => edgeOf(edge, plan, most));
  const spots = apart(drawn.map(({ spot }) => spot).filter(Boolean), LABEL_HEIGHT + 1);
  svg.append(...drawn.map(({ line }) => line), ...data.nodes.map((node) => boxOf(node, plan.places.get(node.id))), ...spots.map(labelOf));
  host.tabIndex = 0;
  host.setAttribute("role", "group");
  host.setAttribute("aria-label", "Who waits for whom");
  host.replaceChildren(svg);
  const room = () => (host.clientWidth - 2 * PAD) / (plan.width + 2 * PAD);
  host.classList.toggle("is-wide", room() < LEAST_SCALE);
  svg.classList.toggle("is-fitted", room() < 1 && room() >= LEAST_SCALE);
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
  const curve = edgeCurve(plan.places.get(edge.source), plan.places.get(edge.target), { isBack: plan.back.has(edge), gap: plan.gap });
  const line = shape("g", { class: `graph-edge${curve.isBack ? " is-cycle" : ""}` });
  line.append(shape("path", { d: pathOf(curve), "stroke-width": 1.25 + 2.5 * ((edge.count ?? 1) / most), "marker-end": `url(#${curve.isBack ? "arrow-cycle" : "arrow"})` }));
  const text = edgeText(edge);
  return { line, spot: text ? { ...labelSpot(curve), text } : null };
}

function labelOf({ x, y, text }) {
  const label = shape("g", { class: "graph-edge" });
  const inner = shape("g", { class: "label" });
  const width = text.length * 6.1 + 12;
  inner.append(shape("rect", { x: x - width / 2, y: y - LABEL_HEIGHT / 2, width, height: LABEL_HEIGHT, rx: 9 }), shape("text", { x, y: y + 4 }, text));
  label.append(inner);
  return label;
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
