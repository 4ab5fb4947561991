// The graph of what blocks the tasks, drawn from left to right.

import { h, link, shown, svg } from "./dom.js";
import { t } from "./words.js";

const WIDTH = 180;
const HEIGHT = 74;
const GAP_X = 42;
const GAP_Y = 18;
const PADDING = 12;
const TITLE_LINES = 2;
const TITLE_FONT = "550 13.5px";

/** The drawing; nothing if no task is waiting. */
export function graph({ nodes, edges, blocked, drawn }) {
  if (!edges.length) return null;
  const placed = place(nodes, edges);
  const width = Math.max(...placed.map(({ x }) => x)) + WIDTH;
  const height = Math.max(...placed.map(({ y }) => y)) + HEIGHT;
  const at = new Map(placed.map((node) => [node.id, node]));
  const arrows = edges.filter(({ from, to }) => at.has(from) && at.has(to)).map((edge) => arrow(at.get(edge.to), at.get(edge.from), edge.isConfirmed));
  const picture = svg("svg", { class: "graph", width: width + 4, height: height + 4, viewBox: `-2 -2 ${width + 4} ${height + 4}`, role: "group", "aria-label": t("graph") },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", class: "arrow-head" }))),
    arrows,
    placed.map(box));
  return h("figure", { class: "graph-frame" },
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("graph") }, picture),
    h("figcaption", { class: "faint" }, t("graphHint"), drawn < blocked && ` ${t("graphMore", { drawn, blocked })}`));
}

/**
 * Columns by the number of steps that lead to a node; a node that waits for nothing is
 * right before the one that waits for it.
 */
function place(nodes, edges) {
  const waits = new Map(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) waits.get(from)?.push(to);
  const columns = new Map();
  const column = (id, path) => {
    if (columns.has(id)) return columns.get(id);
    // In a cycle of tasks that wait for each other, none is first.
    if (path.has(id)) return 0;
    path.add(id);
    const found = Math.max(0, ...(waits.get(id) ?? []).map((next) => column(next, path) + 1));
    path.delete(id);
    columns.set(id, found);
    return found;
  };
  for (const { id } of nodes) column(id, new Set());
  for (const { id } of nodes.filter((node) => !waits.get(node.id).length)) {
    const waiting = edges.filter(({ to }) => to === id).map(({ from }) => columns.get(from));
    columns.set(id, Math.max(0, Math.min(...waiting) - 1));
  }
  const heights = new Map();
  return [...nodes].sort((a, b) => columns.get(a.id) - columns.get(b.id)).map((node) => {
    const at = columns.get(node.id);
    const row = heights.get(at) ?? 0;
    heights.set(at, row + 1);
    return { ...node, x: at * (WIDTH + GAP_X), y: row * (HEIGHT + GAP_Y) };
  });
}

function arrow(from, to, isConfirmed) {
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x - 3, to.y + HEIGHT / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return svg("path", { class: isConfirmed ? "edge" : "edge suspected", d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`, "marker-end": "url(#arrow)" });
}

function box(node) {
  const title = shown(node.title);
  const kind = node.kind === "task" ? t(node.status) : t(node.kind);
  const parts = [
    svg("title", {}, title),
    svg("rect", { width: WIDTH, height: HEIGHT, rx: 8 }),
    lines(title).map((line, at) => svg("text", { x: PADDING, y: 23 + at * 17, class: "box-title" }, line)),
    svg("text", { x: PADDING, y: HEIGHT - 12, class: "box-kind" }, kind),
  ].flat();
  const place = { transform: `translate(${node.x} ${node.y})`, class: `box ${node.kind} ${node.status ?? ""}` };
  if (node.kind !== "task") return svg("g", place, parts);
  return svg("a", { ...place, href: link("task", { id: node.id }) }, parts);
}

/** A title, wrapped by the width of its letters to the lines of a box. */
function lines(title) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${TITLE_FONT} ${getComputedStyle(document.body).fontFamily}`;
  const fits = (text) => pen.measureText(text).width <= WIDTH - 2 * PADDING;
  const found = [];
  let rest = title.trim().slice(0, 400);
  while (rest && found.length < TITLE_LINES) {
    const isLast = found.length === TITLE_LINES - 1;
    let end = rest.length;
    while (end > 1 && !fits(isLast && end < rest.length ? `${rest.slice(0, end)}…` : rest.slice(0, end))) end -= 1;
    const space = rest.lastIndexOf(" ", end);
    if (!isLast && end < rest.length && space > 0) end = space;
    const line = rest.slice(0, end).trimEnd();
    found.push(isLast && end < rest.length ? `${line}…` : line);
    rest = rest.slice(end).trimStart();
  }
  return found;
}
