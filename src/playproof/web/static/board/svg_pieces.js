// What stands on the board of a picture: pieces, links, marks and arrows.
// The twin of formats/svg/pieces.py.

import { RADII } from "./data.js";
import { isToken } from "./places.js";
import { drawChessman, isDrawn } from "./svg_chess.js";
import { COLOURS, tone } from "./svg_theme.js";
import { escape, num, tag, text, unit, width } from "./svg_write.js";

const { BLUE, INK, NAVY, PALE, RED, SLATE, WHITE } = COLOURS;

/** Radius of a piece in cells. */
export function radius(kind) {
  return Object.hasOwn(RADII.kinds, kind) ? RADII.kinds[kind] : RADII.letter;
}

export function drawPiece(piece, on, pegs) {
  const [x, y] = on.centre(piece.at);
  const weight = piece.w ?? 1;
  const written = piece.t ?? "";
  const corner = [x + 0.3 * on.cell, y + 0.3 * on.cell];
  if (isDrawn(piece.k, piece.c)) {
    const man = drawChessman(x, y, on.cell, piece.k, piece.c, weight);
    return written ? [man, ...badge(...corner, on, written, SLATE)] : [man];
  }
  const of = tone(piece.c, pegs);
  const letter = Object.hasOwn(RADII.kinds, piece.k) ? "" : piece.k;
  const label = letter || written;
  const found = [body(x, y, on.cell, piece.k, weight, of)];
  if (!label) {
    found.push(...drawDetail(x, y, on.cell, piece.k, of));
  } else {
    const size = labelSize(label, 0.4 * on.cell);
    found.push(text(x, y, label, size, of.ink, { anchor: "middle", bold: true }));
  }
  if (letter && written) found.push(...badge(...corner, on, written, SLATE));
  return found;
}

/** The round of a piece; in superposition it is veiled and its edge is dashed. */
function body(x, y, cell, kind, weight, of) {
  const size = radius(kind) * cell;
  const round = { cx: x, cy: y, r: size, fill: of.fill };
  if (weight >= 1) {
    return tag("circle", { ...round, stroke: of.edge, "stroke-width": 0.028 * cell });
  }
  return tag("circle", {
    ...round,
    "fill-opacity": 0.3 + 0.4 * unit(weight),
    stroke: of.fill,
    "stroke-width": 0.038 * cell,
    "stroke-dasharray": `${num(0.085 * cell)} ${num(0.055 * cell)}`,
  });
}

/** The inner ring of a disc or peg, or the dot that tells another side's pieces from them. */
export function drawDetail(x, y, cell, kind, of) {
  if (of.core) {
    return [tag("circle", { cx: x, cy: y, r: 0.165 * cell, fill: of.detail })];
  }
  if (kind !== "disc" && kind !== "peg") return [];
  const [size, stroke] = kind === "disc" ? [0.31, 0.024] : [0.235, 0.03];
  return [circleLine(x, y, size * cell, of.detail, stroke * cell)];
}

/** Up to two characters at full size; longer writing shrinks to the same width. */
function labelSize(label, size) {
  const count = [...label].length;
  return count <= 2 ? size : (size * 2.3) / count;
}

/** A small white pill with a line of text, kept inside the board. */
function badge(x, y, on, content, edge) {
  const size = Math.max(8.5, 0.24 * on.cell);
  const wide = width(content, size, true) + 0.9 * size;
  x = Math.min(Math.max(x, on.left + wide / 2), on.left + on.width - wide / 2);
  y = Math.min(Math.max(y, on.top + 0.7 * size), on.top + on.height - 0.7 * size);
  const pill = tag("rect", {
    x: x - wide / 2,
    y: y - 0.7 * size,
    width: wide,
    height: 1.4 * size,
    rx: 0.7 * size,
    fill: WHITE,
    stroke: edge,
    "stroke-width": Math.max(1, 0.025 * on.cell),
  });
  return [pill, text(x, y, content, size, INK, { anchor: "middle", bold: true })];
}

/** A curve between two halves of a pair: one side's are `long` dashes, the other's dots. */
export function drawLink(link, on, pegs, ends, long) {
  const [ax, ay] = on.centre(link.a);
  const [bx, by] = on.centre(link.b);
  const dx = bx - ax;
  const dy = by - ay;
  if (dx === 0 && dy === 0) return [];
  const cx = (ax + bx) / 2 - 0.16 * dy;
  const cy = (ay + by) / 2 + 0.16 * dx;
  const [sx, sy] = towards(ax, ay, cx, cy, ends * on.cell);
  const [ex, ey] = towards(bx, by, cx, cy, ends * on.cell);
  const path = `M${num(sx)} ${num(sy)}Q${num(cx)} ${num(cy)} ${num(ex)} ${num(ey)}`;
  const of = tone(link.c, pegs);
  const wide = Math.min(5.2, Math.max(2.4, 0.075 * on.cell));
  const dash = long ? `${num(2.6 * wide)} ${num(1.4 * wide)}` : `0 ${num(1.7 * wide)}`;
  const casing = tag("path", {
    d: path,
    fill: "none",
    stroke: long ? PALE : of.edge,
    "stroke-width": wide * 1.5,
    "stroke-linecap": "round",
  });
  const thread = tag("path", {
    d: path,
    fill: "none",
    stroke: of.fill,
    "stroke-width": wide * 0.8,
    "stroke-linecap": long ? "butt" : "round",
    "stroke-dasharray": dash,
  });
  const name = escape(`${link.n}: ${link.a} - ${link.b}`);
  return [`<g><title>${name}</title>`, casing, thread, "</g>"];
}

/** The point `step` away from a on the way to b. */
function towards(ax, ay, bx, by, step) {
  const dx = bx - ax;
  const dy = by - ay;
  const scale = step / Math.sqrt(dx * dx + dy * dy);
  return [ax + dx * scale, ay + dy * scale];
}

export function drawMark(mark, on) {
  const [x, y] = on.centre(mark.at);
  const cell = on.cell * markScale(mark, on);
  const label = mark.t == null ? "" : String(mark.t);
  if (mark.k === "num") return number(x, y, cell, label);
  let found;
  if (mark.k === "dot") {
    const edge = { stroke: WHITE, "stroke-width": 0.035 * cell };
    found = [tag("circle", { cx: x, cy: y, r: 0.13 * cell, fill: BLUE, ...edge })];
  } else if (mark.k === "ring") {
    found = [
      circleLine(x, y, 0.44 * cell, WHITE, 0.03 * cell),
      circleLine(x, y, 0.47 * cell, BLUE, 0.04 * cell),
    ];
  } else {
    found = drawCross(x, y, cell);
  }
  if (label) found.push(...badge(x + 0.3 * cell, y + 0.32 * cell, on, label, BLUE));
  return found;
}

/** Smaller where pits stand far apart, larger where a crowded board makes cells small. */
function markScale(mark, on) {
  if (mark.k === "ring") return 1;
  if (on.cell < 32) return 1.5;
  return on.board.kind === "pits" && mark.k !== "cross" ? 0.8 : 1;
}

function number(x, y, cell, label) {
  const edge = { stroke: BLUE, "stroke-width": 0.045 * cell };
  const plate = tag("circle", { cx: x, cy: y, r: 0.265 * cell, fill: PALE, ...edge });
  if (!label) return [plate];
  const size = labelSize(label, 0.29 * cell);
  return [plate, text(x, y, label, size, NAVY, { anchor: "middle", bold: true })];
}

export function circleLine(x, y, r, stroke, wide) {
  return tag("circle", { cx: x, cy: y, r, fill: "none", stroke, "stroke-width": wide });
}

export function drawCross(x, y, cell) {
  const arm = 0.2 * cell;
  const path =
    `M${num(x - arm)} ${num(y - arm)}L${num(x + arm)} ${num(y + arm)}` +
    `M${num(x + arm)} ${num(y - arm)}L${num(x - arm)} ${num(y + arm)}`;
  const strokes = [
    [WHITE, 0.135],
    [RED, 0.075],
  ];
  return strokes.map(([stroke, wide]) =>
    tag("path", {
      d: path,
      fill: "none",
      stroke,
      "stroke-width": wide * cell,
      "stroke-linecap": "round",
    }),
  );
}

/** Best arrows last and labels above all of them, so that nothing hides them. */
export function drawArrows(arrows, on) {
  const ordered = [...arrows].sort((a, b) => Number(a.best) - Number(b.best));
  const shafts = ordered.flatMap((arrow) => drawArrow(arrow, on));
  const labels = ordered.filter((a) => a.t).flatMap((arrow) => arrowLabel(arrow, on));
  return [...shafts, ...labels];
}

function drawArrow(arrow, on) {
  const [bx, by] = on.centre(arrow.b);
  // An arrow from a hand has no place to start, so it starts where it ends.
  const [ax, ay] = isToken(arrow.a) ? [bx, by] : on.centre(arrow.a);
  const half = (0.035 + 0.1 * unit(arrow.p)) * on.cell;
  const [fill, edge] = arrow.best ? [BLUE, WHITE] : [PALE, SLATE];
  const outline = Math.max(0.9, 0.028 * on.cell);
  if (ax === bx && ay === by) {
    return [
      circleLine(bx, by, 0.4 * on.cell, edge, 2 * half + 2 * outline),
      circleLine(bx, by, 0.4 * on.cell, fill, 2 * half),
    ];
  }
  const dx = bx - ax;
  const dy = by - ay;
  const length = Math.sqrt(dx * dx + dy * dy);
  const ux = dx / length;
  const uy = dy / length;
  const start = 0.3 * on.cell;
  const barb = half + 0.1 * on.cell;
  const neck = length - 0.1 * on.cell - 2 * barb;
  // [along, across] pairs around the outline, from the tail's left corner.
  const corners = [
    [start, -half],
    [neck, -half],
    [neck, -barb],
    [length - 0.1 * on.cell, 0],
    [neck, barb],
    [neck, half],
    [start, half],
  ];
  const points = corners.map(
    ([s, t]) => `${num(ax + ux * s - uy * t)} ${num(ay + uy * s + ux * t)}`,
  );
  return [
    tag("path", {
      d: `M${points.join("L")}z`,
      fill,
      "fill-opacity": 0.95,
      stroke: edge,
      "stroke-width": outline,
      "stroke-linejoin": "round",
    }),
  ];
}

/** Above the head and to its right, where it hides neither head nor piece. */
function arrowLabel(arrow, on) {
  const [x, y] = on.centre(arrow.b);
  const edge = arrow.best ? BLUE : SLATE;
  return badge(x + 0.27 * on.cell, y - 0.36 * on.cell, on, arrow.t, edge);
}
