// Marks over the picture: legal clicks, chosen points, the ghost of a piece.
// They differ in shape as well as colour: dots to go to, rings to choose, squares to remove.

import { isToken } from "./places.js";
import { usualKind } from "./svg.js";
import { circleLine, drawCross, drawPiece } from "./svg_pieces.js";
import { COLOURS } from "./svg_theme.js";
import { num, tag } from "./svg_write.js";

const { AMBER, BLUE, RED, WHITE } = COLOURS;

/** The marks as SVG text: `view` is the one drawn (see preview.js), `base` the
 * one sent, `over` the point under mouse or focus, `lit` points that a page lights. */
export function overlay({ on, view, base, walk, pegs, over, lit, live }) {
  const parts = [];
  const held = new Set(view.pieces.map((piece) => piece.at));
  if (live) parts.push(...legalMarks(on, view, walk, held));
  for (const { token, kind } of walk.path) {
    if (!isToken(token) && kind !== "rm") parts.push(...ring(on, token));
  }
  if (live) parts.push(...ghost(on, base, walk, pegs, walk.pending?.token ?? over));
  for (const at of lit) if (on.where.has(at)) parts.push(lamp(on, at));
  return parts.join("");
}

function legalMarks(on, view, walk, held) {
  const first = walk.node === walk.root;
  const marked = new Set(view.marks.map((mark) => mark.at));
  const named = new Set();
  const parts = [];
  for (const [token, { kind, move }] of walk.choices) {
    if (!on.where.has(token) || marked.has(token)) continue;
    // Of several clicks that make the same move, the first is its destination.
    if (move && named.has(move.n)) continue;
    if (move) named.add(move.n);
    if (kind === "rm") parts.push(...box(on, token));
    else if (kind === "src") parts.push(faintRing(on, token));
    // On an open board nearly every point is legal, and marks would hide the board.
    else if (!first || on.board.kind !== "points") parts.push(...goal(on, token, held.has(token)));
  }
  return parts;
}

function goal(on, at, taken) {
  const [x, y] = on.centre(at);
  if (taken) return [circleLine(x, y, 0.44 * on.cell, BLUE, 0.06 * on.cell)];
  const edge = { stroke: WHITE, "stroke-width": 0.035 * on.cell };
  return [tag("circle", { cx: x, cy: y, r: 0.13 * on.cell, fill: BLUE, ...edge })];
}

function faintRing(on, at) {
  const [x, y] = on.centre(at);
  return `<g opacity="0.6">${circleLine(x, y, 0.46 * on.cell, BLUE, 0.03 * on.cell)}</g>`;
}

function ring(on, at) {
  const [x, y] = on.centre(at);
  return [
    circleLine(x, y, 0.44 * on.cell, WHITE, 0.03 * on.cell),
    circleLine(x, y, 0.47 * on.cell, BLUE, 0.05 * on.cell),
  ];
}

function square(on, at, stroke, wide) {
  const [x, y] = on.centre(at);
  const side = 0.9 * on.cell;
  const place = { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.2 * on.cell };
  return tag("rect", { ...place, fill: "none", stroke, "stroke-width": wide * on.cell });
}

function box(on, at) {
  return [square(on, at, WHITE, 0.07), square(on, at, RED, 0.04)];
}

function lamp(on, at) {
  const [x, y] = on.centre(at);
  return circleLine(x, y, 0.48 * on.cell, AMBER, 0.07 * on.cell);
}

/** Where the move of a click goes: of several clicks that make it, to the first. */
function goalOf(walk, node) {
  if (!node.move) return node.token;
  for (const { token, move } of node.parent.children.values()) {
    if (move?.n === node.move.n) return token;
  }
  return node.token;
}

/** The piece that a click on `at` would put there, or a cross where it takes one off. */
function ghost(on, base, walk, pegs, at) {
  const node = walk.pending?.token === at ? walk.pending : walk.choices.get(at);
  if (!node || !on.where.has(at)) return [];
  at = goalOf(walk, node);
  const [x, y] = on.centre(at);
  if (node.kind === "rm") return drawCross(x, y, on.cell);
  if (node.kind === "src") return ring(on, at);
  // A pending move has already moved its piece.
  const from = walk.path.findLast(({ kind }) => kind === "src");
  if (from && node === walk.pending) return [];
  const mover = from && base.pieces.find((piece) => piece.at === from.token);
  const piece = mover ?? { k: usualKind(base), c: base.turn.c };
  if (!mover && !base.turn.c) return ring(on, at);
  return [
    `<g class="ghost" opacity="${num(node === walk.pending ? 0.85 : 0.65)}">`,
    ...drawPiece({ ...piece, at }, on, pegs),
    "</g>",
  ];
}
