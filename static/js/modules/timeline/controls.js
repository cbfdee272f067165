// What the module adds to the head of the card: filters by node and lock class, the Chart / Table switch, and the tables.
import { clock, day } from "../../lib/format.js";
import { sentence, table } from "../../lib/lane-text.js";
import closing from "../menu.js";
import { make } from "./dom.js";

const MOST_ROWS = 400;

export function filterMenu(all, chosen, names, change) {
  const details = make("details", "chip-menu menu-host");
  const summary = make("summary", "chip");
  const menu = make("div", "menu menu-left");
  const boxes = all.map(({ key, label }) => {
    const row = make("label");
    const box = make("input");
    box.type = "checkbox";
    box.checked = !chosen || chosen.has(key);
    box.addEventListener("change", () => apply());
    row.append(box, label);
    menu.append(row);
    return { key, label, box };
  });
  const name = () => {
    const on = boxes.filter(({ box }) => box.checked);
    summary.replaceChildren(make("b", "", on.length === boxes.length ? names.all : on.map(({ label }) => label).slice(0, 3).join(" ") + (on.length > 3 ? ` +${on.length - 3}` : "")), " ▾");
  };
  const apply = () => {
    if (!boxes.some(({ box }) => box.checked)) boxes.forEach(({ box }) => { box.checked = true; });
    const on = boxes.filter(({ box }) => box.checked).map(({ key }) => key);
    name();
    change(on.length === boxes.length ? null : new Set(on));
  };
  name();
  summary.setAttribute("aria-label", names.label);
  details.append(summary, menu);
  closing(details);
  return details;
}

export function chartTableSwitch(as, change) {
  const group = make("div", "segmented");
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Show as");
  const buttons = ["chart", "table"].map((one) => {
    const button = group.appendChild(make("button", "", one === "chart" ? "Chart" : "Table"));
    button.type = "button";
    button.setAttribute("aria-pressed", String(one === as));
    button.addEventListener("click", () => {
      buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
      change(one);
    });
    return button;
  });
  return group;
}

// Times in the case's zone, in UTC or in the reader's own.
export function zoneSwitch(zone, ownName, change) {
  const label = make("label", "field-inline zone-switch", "Times ");
  const select = label.appendChild(make("select", "input is-small"));
  for (const [value, name] of [["case", ownName || "as printed"], ["utc", "UTC"], ["own", "your own"]]) {
    const option = select.appendChild(make("option", "", name));
    option.value = value;
    option.selected = value === zone;
  }
  select.addEventListener("change", () => change(select.value));
  return label;
}

// Times of the findings below, which the server writes in the case's zone.
export function renameTimes(window) {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = document.querySelectorAll("time[data-start-us]");
  for (const time of times) {
    time.dataset.printed ??= time.textContent;
    const [start, end] = [Number(time.dataset.startUs), Number(time.dataset.endUs || time.dataset.startUs)];
    const at = (us) => `${day(us + window.shift)} ${clock(us + window.shift)}`;
    time.textContent = window.shift ? `${at(start)}${end > start ? ` – ${at(end)}` : ""} ${window.zone}` : time.dataset.printed;
  }
}

export function laneTables(host, lanes, window) {
  host.replaceChildren(...lanes.map((lane) => laneTable(lane, window)));
}

function laneTable(lane, window) {
  const { head, rows } = table(lane, window);
  const scroll = make("div", "table-scroll");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", `${lane.label} as a table`);
  const element = scroll.appendChild(make("table", "table"));
  element.createCaption().textContent = sentence(lane, window) + (rows.length > MOST_ROWS ? ` The first ${MOST_ROWS} of ${rows.length} rows; zoom in for the rest.` : "");
  const line = element.createTHead().insertRow();
  head.forEach((name, index) => {
    const cell = line.appendChild(make("th", index ? "number" : "", name));
    cell.scope = "col";
  });
  const body = element.createTBody();
  for (const row of rows.slice(0, MOST_ROWS)) {
    const tr = body.insertRow();
    row.forEach((text, index) => { const cell = tr.insertCell(); cell.textContent = text; if (index) cell.className = "number"; });
  }
  return scroll;
}
