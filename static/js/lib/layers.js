// A layered layout for who waits for whom: waiters at the left, what they wait for at the right. Edges that close a cycle are
// turned round for the ranking only and marked as such.
export function layout(nodes, edges, { width = 120, height = 52, gapX = 130, gapY = 26 } = {}) {
  const ids = new Set(nodes.map((node) => node.id));
  const known = edges.filter((edge) => ids.has(edge.source) && ids.has(edge.target) && edge.source !== edge.target);
  const back = backEdges(nodes, known);
  const ranks = rank(nodes, known.filter((edge) => !back.has(edge)));
  const columns = order(nodes, known, ranks);
  const tallest = Math.max(1, ...columns.map((column) => column.length));
  const places = new Map();
  columns.forEach((column, x) => {
    const top = ((tallest - column.length) * (height + gapY)) / 2;
    column.forEach((node, y) => places.set(node.id, { x: x * (width + gapX), y: top + y * (height + gapY), width, height }));
  });
  return {
    places, back, gap: gapX,
    edges: known,
    width: Math.max(1, columns.length) * (width + gapX) - gapX,
    height: tallest * (height + gapY) - gapY,
  };
}

// Depth first without recursion, since a chain may be as long as the cluster is large.
export function backEdges(nodes, edges) {
  const out = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) out.get(edge.source).push(edge);
  const colour = new Map();
  const back = new Set();
  for (const { id } of nodes) {
    if (colour.has(id)) continue;
    const stack = [{ id, next: 0 }];
    colour.set(id, "open");
    while (stack.length) {
      const top = stack[stack.length - 1];
      const edge = out.get(top.id)[top.next];
      top.next += 1;
      if (!edge) {
        colour.set(top.id, "done");
        stack.pop();
      } else if (colour.get(edge.target) === "open") back.add(edge);
      else if (!colour.has(edge.target)) {
        colour.set(edge.target, "open");
        stack.push({ id: edge.target, next: 0 });
      }
    }
  }
  return back;
}

// The rank of a node is its longest way from a node nobody waits for, so that edges point to the right.
export function rank(nodes, edges) {
  const ranks = new Map(nodes.map((node) => [node.id, 0]));
  const waiting = new Map(nodes.map((node) => [node.id, 0]));
  const out = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) {
    waiting.set(edge.target, waiting.get(edge.target) + 1);
    out.get(edge.source).push(edge.target);
  }
  const ready = nodes.map((node) => node.id).filter((id) => waiting.get(id) === 0);
  while (ready.length) {
    const id = ready.shift();
    for (const target of out.get(id)) {
      ranks.set(target, Math.max(ranks.get(target), ranks.get(id) + 1));
      waiting.set(target, waiting.get(target) - 1);
      if (waiting.get(target) === 0) ready.push(target);
    }
  }
  return ranks;
}

// Two sweeps that put each node near the middle of its neighbours: enough for the boxes a person can read.
function order(nodes, edges, ranks) {
  const columns = [];
  for (const node of nodes) (columns[ranks.get(node.id)] ??= []).push(node);
  for (let column = 0; column < columns.length; column += 1) columns[column] ??= [];
  const at = new Map();
  const number = () => columns.forEach((column) => column.forEach((node, index) => at.set(node.id, index - column.length / 2)));
  const middle = (node, end, other) => {
    const near = edges.filter((edge) => edge[end] === node.id).map((edge) => at.get(edge[other]));
    return near.length ? near.reduce((sum, one) => sum + one, 0) / near.length : at.get(node.id);
  };
  number();
  for (const [end, other] of [["target", "source"], ["source", "target"]]) {
    for (const column of columns) {
      const keys = new Map(column.map((node) => [node.id, middle(node, end, other)]));
      column.sort((a, b) => keys.get(a.id) - keys.get(b.id));
      number();
    }
  }
  return columns;
}
