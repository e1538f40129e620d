// The chess pieces of the pictures; their shapes are formats/svg/chess_pieces.py's (see data.js).

import { CHESS } from "./data.js";
import { num, tag, unit } from "./svg_write.js";

/** Whether there is a drawing of that piece. */
export function isDrawn(kind, colour) {
  return Object.hasOwn(CHESS.shapes, kind) && Object.hasOwn(CHESS.inks, colour);
}

/** The piece in the middle of a cell; fainter, the less likely it is there. */
export function drawChessman(x, y, cell, kind, colour, weight) {
  const shape = CHESS.shapes[kind];
  const ink = CHESS.inks[colour];
  const bodies = tag("path", {
    d: shape.outlines.join(""),
    fill: ink.fill,
    stroke: ink.edge,
    "stroke-width": CHESS.edge,
    "stroke-linejoin": "round",
  });
  const lines = tag("path", {
    d: shape.lines.join(""),
    fill: "none",
    stroke: ink.line,
    "stroke-width": CHESS.line,
    "stroke-linecap": "round",
  });
  const dots = shape.dots
    .map(([a, b, r]) => tag("circle", { cx: a, cy: b, r, fill: ink.line }))
    .join("");
  const faint = weight < 1 ? ` opacity="${num(0.3 + 0.4 * unit(weight))}"` : "";
  const left = num(x - cell / 2);
  const top = num(y - cell / 2);
  const scale = (cell / 100).toFixed(4).replace(/\.?0+$/, "");
  return `<g transform="translate(${left} ${top}) scale(${scale})"${faint}>${bodies}${lines}${dots}</g>`;
}
