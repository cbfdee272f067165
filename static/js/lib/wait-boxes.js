// Which boxes and arrows of the wait graph are drawn, and what runs on when a box lets go. Pure functions.
//   boxes [{id, kind, waits, longest, category, root, cycle ...}]   arrows [{from, to, label, count, longest}]   groups [{id, label, members}]

// Closed groups become one box each; arrows of their members are added up. Arrows inside a group are its own affair.
export function collapsed({ boxes, arrows, groups }, opened) {
  const closed = groups.filter((group) => !opened.has(group.id));
  const inGroup = new Map(closed.flatMap((group) => group.members.map((name) => [name, group.id])));
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const place = (name) => inGroup.get(name) ?? name;
  const lines = new Map();
  for (const arrow of arrows) {
    const [from, to] = [place(arrow.from), place(arrow.to)];
    if (from === to && inGroup.has(arrow.from)) continue;
    const key = JSON.stringify([from, to]);
    const line = lines.get(key) ?? { from, to, label: arrow.label, count: 0, longest: 0, most: 0, parts: 0, ends: [arrow.from, arrow.to] };
    if (arrow.count > line.most) Object.assign(line, { most: arrow.count, label: arrow.label, ends: [arrow.from, arrow.to] });
    line.count += arrow.count;
    line.longest = Math.max(line.longest, arrow.longest);
    line.parts += 1;
    lines.set(key, line);
  }
  const alone = boxes.filter((box) => !inGroup.has(box.id));
  return { boxes: [...closed.map((group) => groupBox(group, byId)), ...alone], arrows: [...lines.values()] };
}

const worst = (members) => members.reduce((best, box) => ((box.longest ?? 0) > (best?.longest ?? -1) ? box : best), null);

function groupBox(group, byId) {
  const members = group.members.map((name) => byId.get(name)).filter(Boolean);
  const waits = members.reduce((sum, box) => sum + box.waits, 0);
  const longest = Math.max(0, ...members.map((box) => box.longest ?? 0));
  return { id: group.id, group: true, label: group.label, members, waits, longest, category: worst(members)?.category ?? null, kind: "group", ends: 0, cycle: null, root: false };
}

// Names that run on if one lets go: whoever has all its waits ended runs, and lets go in turn.
export function freedBy(arrows, name) {
  const left = new Map();
  const into = new Map();
  for (const arrow of arrows) {
    left.set(arrow.from, (left.get(arrow.from) ?? 0) + 1);
    if (!into.has(arrow.to)) into.set(arrow.to, []);
    into.get(arrow.to).push(arrow.from);
  }
  const freed = new Set([name]);
  const queue = [name];
  while (queue.length) {
    for (const waiter of into.get(queue.shift()) ?? []) {
      left.set(waiter, left.get(waiter) - 1);
      if (left.get(waiter) === 0 && !freed.has(waiter)) {
        freed.add(waiter);
        queue.push(waiter);
      }
    }
  }
  return freed;
}

// The first and last names of a group, so that its box says whom it holds: "c01 … c22".
export function span(names) {
  return names.length > 2 ? `${names[0]} … ${names[names.length - 1]}` : names.join(", ");
}

// A smooth path through the points that the layout gives, ending straight at the arrow head.
export function smooth(points) {
  if (points.length < 3) return `M${points.map(({ x, y }) => `${round(x)} ${round(y)}`).join("L")}`;
  let path = `M${round(points[0].x)} ${round(points[0].y)}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    const end = i === points.length - 2 ? points[i + 1] : { x: (points[i].x + points[i + 1].x) / 2, y: (points[i].y + points[i + 1].y) / 2 };
    path += `Q${round(points[i].x)} ${round(points[i].y)} ${round(end.x)} ${round(end.y)}`;
  }
  return path;
}

const round = (value) => Math.round(value * 10) / 10;

// The longer of head and tail survives: names of one cluster differ at their ends.
export function cut(text, most) {
  return text.length > most ? `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(-(Math.floor(most / 2)))}` : text;
}
