/* Pictures of the rules, drawn by the board itself.

   A picture is a few lines of letters, as a person would type a board:
   X and O for Black and White, b and r for Blue and Red, chess letters for chess.
   `pairs`: [point, point, colour, number] in superposition.  `marks`: {point: kind}.
   `of` gives the moves or text of the position; `reach` says that the marks are all squares
   White's pieces can go to.  A test plays it and compares. */

import { draw } from "../board/svg.js";

const GROUNDS = {
  othello: { kind: "cells", style: "felt", letters: "abcdefgh", down: true },
  choko: { kind: "pits", style: "sand", letters: "ABCDE" },
  "quantum-go": { kind: "points", style: "wood", letters: "ABCDEFGHJ" },
  go: { kind: "points", style: "wood", letters: "ABCDEFGHJ" },
  chess: { kind: "cells", style: "check", letters: "abcdefgh" },
};
const ROOM = { left: 26, right: 10, top: 8, bottom: 26 }; // around the board: labels below and left

/** The View of a picture: what `draw` and the board element understand. */
export function viewOf(game, picture) {
  const { kind, style, letters, down = false } = GROUNDS[game];
  const count = picture.rows.length;
  const rows = picture.rows.map((_, i) => String(down ? i + 1 : count - i));
  const cols = letters.slice(0, picture.rows[0].length);
  const pieces = [];
  picture.rows.forEach((row, j) => {
    [...row].forEach((letter, i) => {
      if (letter !== ".") pieces.push({ id: cols[i] + rows[j], at: cols[i] + rows[j], ...piece(game, letter) });
    });
  });
  const pairs = picture.pairs ?? [];
  for (const [a, b, c, n] of pairs) {
    for (const at of [a, b]) pieces.push({ id: at, at, k: "stone", c, w: 0.5, t: n });
  }
  return {
    v: 1,
    game,
    title: picture.caption,
    board: { kind, style, cols, rows, stars: [] },
    pieces,
    links: pairs.map(([a, b, c, n]) => ({ a, b, c, n })),
    marks: Object.entries(picture.marks ?? {}).map(([at, k]) => (Number.isInteger(k) ? { at, k: "num", t: k } : { at, k })),
    arrows: (picture.arrows ?? []).map(([a, b]) => ({ a, b, p: 0.4, best: true, t: "" })),
    heat: {},
    last: picture.last ?? [],
    hands: [],
    flag: null,
    turn: { c: "", name: "", who: "other" },
    sides: {},
    score: {},
    over: null,
    legal: [],
    lazy: false,
    actions: [],
    steps: [],
    events: [],
    formula: null,
    say: picture.caption,
  };
}

function piece(game, letter) {
  if (game === "othello") return { k: "disc", c: letter === "X" ? "b" : "w" };
  if (game === "choko") return { k: "peg", c: letter };
  if (game === "chess") return { k: letter.toUpperCase(), c: letter === letter.toUpperCase() ? "w" : "b" };
  return { k: "stone", c: letter === "X" ? "b" : "w" };
}

/** The board of a picture as an <svg> element. */
export function drawn(game, picture, theme) {
  return boardOf(viewOf(game, picture), theme);
}

/** The board of a View as an <svg> element: the card around it is cut off. */
export function boardOf(view, theme) {
  const { svg, on } = draw(view, { theme });
  const node = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const width = on.width + ROOM.left + ROOM.right;
  const height = on.height + ROOM.top + ROOM.bottom;
  node.setAttribute("viewBox", `${on.left - ROOM.left} ${on.top - ROOM.top} ${width} ${height}`);
  node.removeAttribute("width");
  node.removeAttribute("height");
  return document.importNode(node, true);
}
