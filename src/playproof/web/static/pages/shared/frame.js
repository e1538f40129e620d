/* The layout of a page with a board: head, board, controls beside it, and the rest below. */

import { el } from "../../dom.js";

/** `head`: heading and the line below it; `tools`: links and buttons beside them; the others
    are nodes or lists of them. */
export function frame({ head, tools, board, side, more = null }) {
  return el(
    "div",
    { class: "lab" },
    el(
      "section",
      { class: "lab-board stack-small", "aria-label": "Board" },
      el("div", { class: "lab-head" }, el("div", { class: "grow" }, head), el("div", { class: "row no-print" }, tools)),
      board,
    ),
    el("div", { class: "lab-side stack" }, side),
    more && el("div", { class: "lab-more no-print" }, more),
  );
}
