// Pointer, wheel and keys on the lanes, told to the timeline as: hover, leave, select, pan, zoom, reset, pick.
import { make, px } from "./dom.js";

const CLICK_PX = 4;

export function listen(lanes, area, act) {
  const selection = lanes.appendChild(make("div", "selection"));
  selection.hidden = true;
  const fingers = new Map();
  let drag = null;
  let pinch = null;

  const xy = (event) => {
    const box = lanes.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const inside = (x) => Math.min(Math.max(x, area().left), area().left + area().width);
  const gap = () => {
    const [a, b] = [...fingers.values()];
    return Math.max(20, Math.abs(a.x - b.x));
  };

  const down = (event) => {
    if (event.button || event.target.closest("a, button, .fold")) return;
    const point = xy(event);
    fingers.set(event.pointerId, point);
    if (fingers.size === 2) {
      drag = null;
      pinch = { gap: gap(), ...act.beginZoom(([...fingers.values()][0].x + point.x) / 2) };
      return;
    }
    if (point.x < area().left || (event.target.closest(".heat") && point.x > area().left + area().width)) return;
    lanes.setPointerCapture(event.pointerId);
    drag = { ...point, mode: event.shiftKey || event.pointerType === "touch" ? "pan" : "select", begun: act.beginPan(), lane: event.target.closest(".lane")?.dataset.lane };
  };
  const move = (event) => {
    const point = xy(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, point);
    if (pinch && fingers.size === 2) act.zoomTo(pinch, pinch.gap / gap());
    else if (!drag) point.x >= area().left ? act.hover(point.x, point.y) : act.leave();
    else if (Math.abs(point.x - drag.x) >= CLICK_PX) dragged(point);
  };
  const dragged = (point) => {
    act.leave();
    if (drag.mode === "pan") return act.panBy(drag.begun, drag.x - point.x, true);
    const [from, to] = [inside(drag.x), inside(point.x)].sort((a, b) => a - b);
    selection.hidden = false;
    selection.style.left = px(from);
    selection.style.width = px(to - from);
  };
  const up = (event) => {
    fingers.delete(event.pointerId);
    selection.hidden = true;
    if (pinch) {
      if (!fingers.size) { pinch = null; act.settle(); }
      return;
    }
    if (!drag) return;
    const point = xy(event);
    const { x, mode, begun, lane } = drag;
    drag = null;
    if (Math.abs(point.x - x) < CLICK_PX) act.pick(point.x, point.y, lane);
    else if (mode === "pan") act.panBy(begun, x - point.x, false);
    else act.select(inside(x), inside(point.x));
  };
  const cancel = (event) => {
    fingers.delete(event.pointerId);
    selection.hidden = true;
    drag = null;
    pinch = null;
    act.settle();
  };
  const wheel = (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    act.zoomAt(xy(event).x, event.deltaY > 0 ? 1.25 : 0.8);
  };

  lanes.addEventListener("pointerdown", down);
  lanes.addEventListener("pointermove", move);
  lanes.addEventListener("pointerup", up);
  lanes.addEventListener("pointercancel", cancel);
  lanes.addEventListener("pointerleave", (event) => { if (!drag && event.pointerType !== "touch") act.leave(); });
  lanes.addEventListener("dblclick", (event) => { if (!event.target.closest("a, button")) act.reset(); });
  lanes.addEventListener("wheel", wheel, { passive: false });
  lanes.addEventListener("keydown", (event) => {
    if (event.target !== lanes || event.ctrlKey || event.metaKey || event.altKey) return;
    const done = act.key(event.key, event.shiftKey);
    if (done) event.preventDefault();
  });
}
