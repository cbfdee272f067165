// What the address says about the view: from and to in microseconds (as in the JSON), chosen nodes and classes, opened folds, the tab of the
// card. Anything malformed is left out, as an address is written by anyone.
import { ZONES } from "./zone.js";

const WORDS = /^[\w.:-]{1,64}$/;

export function decode(search) {
  const params = new URLSearchParams(search);
  const state = { view: null, nodes: null, classes: null, open: new Set(), as: params.get("as") === "table" ? "table" : "chart", zone: ZONES.includes(params.get("zone")) ? params.get("zone") : "case" };
  const start = microseconds(params.get("from"));
  const end = microseconds(params.get("to"));
  if (start !== null && end !== null && end > start) state.view = { start, end };
  state.nodes = words(params.get("nodes"));
  state.classes = words(params.get("classes"));
  for (const one of (params.get("open") ?? "").split(",")) if (/^\d{1,12}(-\d{1,12})?$/.test(one)) state.open.add(one);
  return state;
}

function microseconds(text) {
  return /^-?\d{1,16}$/.test(text ?? "") ? Number(text) : null;
}

function words(text) {
  const found = (text ?? "").split(",").filter((one) => WORDS.test(one));
  return found.length ? new Set(found) : null;
}

export function encode(state, search = "") {
  const params = new URLSearchParams(search);
  const put = (name, value) => (value ? params.set(name, value) : params.delete(name));
  put("from", state.view ? String(state.view.start) : "");
  put("to", state.view ? String(state.view.end) : "");
  put("nodes", state.nodes ? [...state.nodes].join(",") : "");
  put("classes", state.classes ? [...state.classes].join(",") : "");
  put("open", [...(state.open ?? [])].sort().join(","));
  put("as", state.as === "table" ? "table" : "");
  put("zone", state.zone && state.zone !== "case" ? state.zone : "");
  return params.toString().replace(/%2C/g, ",").replace(/%3A/g, ":");
}

// Nodes whose clocks the reader has shifted, as "node:seconds"; the server moves their data. A form may have just sent one more.
export function shiftsOf(search) {
  const params = new URLSearchParams(search);
  const kept = params.getAll("shift");
  const node = params.get("shift_node");
  if (!node) return kept;
  const by = Number((params.get("shift_by") ?? "").replace(",", "."));
  const others = kept.filter((one) => !one.startsWith(`${node}:`));
  return by ? [...others, `${node}:${by}`] : others;
}
