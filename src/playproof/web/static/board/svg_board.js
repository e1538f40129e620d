// The board of a picture: ground, lines, pits, labels, heat and the last move.
// The twin of formats/svg/board.py.

import { checkedPlaces, place } from "./places.js";
import { COLOURS, GROUNDS, PIT_SHADE } from "./svg_theme.js";
import { num, tag, text, unit } from "./svg_write.js";

const EXTENT = 400; // the longer side of every board
const FRAME = 2.5;
const PIT = 0.385; // radius of a pit, in cells

/** Where a board lies: its top left corner and the side of one cell. */
export class Grid {
  constructor(board, left, top, cell, where) {
    Object.assign(this, { board, left, top, cell, where });
    this.columns = [...board.cols];
    this.width = cell * this.columns.length;
    this.height = cell * board.rows.length;
  }

  centre(name) {
    const [i, j] = place(this.where, name);
    return [this.left + (i + 0.5) * this.cell, this.top + (j + 0.5) * this.cell];
  }

  /** Of a chequered board the bottom left square is dark. */
  isDark(name) {
    const [i, j] = place(this.where, name);
    return (i + this.board.rows.length - 1 - j) % 2 === 0;
  }
}

/** The board hung at height `top`, centred on `middle`. */
export function grid(view, middle, top) {
  const board = view.board;
  const where = checkedPlaces(view);
  const columns = [...board.cols].length;
  const cell = EXTENT / Math.max(columns, board.rows.length);
  return new Grid(board, middle - (cell * columns) / 2, top, cell, where);
}

export function drawBoard(on, paper) {
  const ground = GROUNDS[on.board.style];
  const frame = tag("rect", {
    x: on.left - FRAME / 2,
    y: on.top - FRAME / 2,
    width: on.width + FRAME,
    height: on.height + FRAME,
    rx: 3,
    fill: ground.fill,
    stroke: ground.frame,
    "stroke-width": FRAME,
  });
  let inside;
  if (on.board.kind === "pits") inside = pits(on, ground);
  else if (on.board.kind === "points") inside = [lines(on, ground, 0.5)];
  else if (on.board.style === "check") inside = [darkSquares(on, ground)];
  else inside = [lines(on, ground, 0)];
  return [frame, ...inside, ...stars(on, ground), ...labels(on, paper)];
}

/** The lines of a board: `inset` 0 between cells, 0.5 through the points. */
function lines(on, ground, inset) {
  const cell = on.cell;
  const margin = inset * cell;
  let path = "";
  // Between cells the outermost lines are the frame's; through points they are drawn.
  const skip = inset === 0 ? 1 : 0;
  for (let i = skip; i < on.columns.length; i += 1) {
    const x = on.left + i * cell + margin;
    const y = on.top + margin;
    path += `M${num(x)} ${num(y)}V${num(on.top + on.height - margin)}`;
  }
  for (let j = skip; j < on.board.rows.length; j += 1) {
    const x = on.left + margin;
    const y = on.top + j * cell + margin;
    path += `M${num(x)} ${num(y)}H${num(on.left + on.width - margin)}`;
  }
  return tag("path", {
    d: path || "M0 0",
    fill: "none",
    stroke: ground.line,
    "stroke-width": inset === 0 ? 1.3 : 1.4,
    "stroke-linecap": "square",
  });
}

function square(on, name) {
  const [x, y] = on.centre(name);
  const side = num(on.cell);
  return `M${num(x - on.cell / 2)} ${num(y - on.cell / 2)}h${side}v${side}h-${side}z`;
}

function darkSquares(on, ground) {
  let path = "";
  for (const name of on.where.keys()) if (on.isDark(name)) path += square(on, name);
  return tag("path", { d: path, fill: ground.second });
}

/** Round holes: a crescent of shade under the upper rim makes them deep. */
function pits(on, ground) {
  const radius = PIT * on.cell;
  const holes = [];
  let shades = "";
  for (const name of on.where.keys()) {
    const [x, y] = on.centre(name);
    holes.push(
      tag("circle", {
        cx: x,
        cy: y,
        r: radius,
        fill: ground.second,
        stroke: ground.line,
        "stroke-width": 0.018 * on.cell,
      }),
    );
    // The inner arc is flatter than the rim: together they make the crescent.
    const span = 0.98 * radius;
    const drop = 0.2 * radius;
    shades +=
      `M${num(x - span)} ${num(y - drop)}` +
      `A${num(radius)} ${num(radius)} 0 0 1 ${num(x + span)} ${num(y - drop)}` +
      `A${num(1.17 * radius)} ${num(1.17 * radius)} 0 0 0 ${num(x - span)} ${num(y - drop)}z`;
  }
  return [...holes, tag("path", { d: shades, fill: PIT_SHADE })];
}

function stars(on, ground) {
  const radius = Math.max(2, 0.07 * on.cell);
  return on.board.stars.map((name) => {
    const [x, y] = on.centre(name);
    return tag("circle", { cx: x, cy: y, r: radius, fill: ground.line });
  });
}

/** Columns below, rows to the left; on crowded boards the writing shrinks. */
function labels(on, paper) {
  const size = Math.min(13, Math.max(8, 0.5 * on.cell));
  const found = on.columns.map((column, i) => {
    const x = on.left + (i + 0.5) * on.cell;
    const y = on.top + on.height + FRAME + 11;
    return text(x, y, column, size, paper.label, { anchor: "middle" });
  });
  on.board.rows.forEach((row, j) => {
    const y = on.top + (j + 0.5) * on.cell;
    found.push(text(on.left - FRAME - 6, y, row, size, paper.label, { anchor: "end" }));
  });
  return found;
}

/** A veil whose density is the value; written in reading order. */
export function drawHeat(view, on) {
  const veil = GROUNDS[on.board.style].heat;
  const found = [];
  const names = Object.keys(view.heat).sort((a, b) => {
    const [ai, aj] = place(on.where, a);
    const [bi, bj] = place(on.where, b);
    return aj - bj || ai - bi;
  });
  for (const name of names) {
    const share = unit(view.heat[name]);
    if (share === 0) continue;
    const opacity = 0.1 + 0.7 * share;
    const [x, y] = on.centre(name);
    if (on.board.kind === "cells") {
      found.push(tag("path", { d: square(on, name), fill: veil, "fill-opacity": opacity }));
    } else {
      const size = (on.board.kind === "pits" ? PIT : 0.46) * on.cell;
      found.push(tag("circle", { cx: x, cy: y, r: size, fill: veil, "fill-opacity": opacity }));
    }
  }
  return found;
}

/** On a chequered board the squares of the last move are coloured whole. */
export function drawTints(view, on) {
  const tints = GROUNDS[on.board.style].tints;
  if (tints === null || on.board.kind !== "cells") return [];
  return view.last.map((n) => tag("path", { d: square(on, n), fill: tints[Number(on.isDark(n))] }));
}

/** Four corners around each place of the last move. */
export function drawLast(view, on) {
  const stroke = Math.max(1.8, 0.065 * on.cell);
  // Cells have walls to lean on; elsewhere neighbours' corners must not touch.
  const reach = on.cell / 2 - stroke / 2 - (on.board.kind === "cells" ? 0 : 0.02 * on.cell);
  const arm = 0.22 * on.cell;
  const found = [];
  for (const name of view.last) {
    const [x, y] = on.centre(name);
    let path = "";
    for (const sy of [-1, 1]) for (const sx of [-1, 1]) path += corner(x, y, reach, arm, sx, sy);
    // A darker line underneath keeps amber visible on wood and sand.
    const line = { d: path, fill: "none" };
    found.push(
      tag("path", { ...line, stroke: COLOURS.UMBER, "stroke-width": stroke + 1.2 }),
      tag("path", { ...line, stroke: GROUNDS[on.board.style].last, "stroke-width": stroke }),
    );
  }
  return found;
}

function corner(x, y, reach, arm, sx, sy) {
  const left = x + sx * reach;
  const top = y + sy * reach;
  return `M${num(left)} ${num(top - sy * arm)}V${num(top)}H${num(left - sx * arm)}`;
}
