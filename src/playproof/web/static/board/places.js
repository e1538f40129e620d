// Geometry and names of a View for every picture: where places lie, what sides are called.
// The twin of formats/view_geometry.py.

import { SIDE_NAMES } from "./data.js";

/** Every place name of a board that is a grid -> [column, row] from the top left. */
export function places(board) {
  if (board.kind === "graph") {
    throw new RangeError("graph boards have no drawing yet: draw cells, points or pits");
  }
  if (!board.cols || !board.rows.length) {
    throw new RangeError("an empty board cannot be drawn: give at least one column and one row");
  }
  const where = new Map();
  const columns = [...board.cols];
  board.rows.forEach((row, j) => columns.forEach((column, i) => where.set(column + row, [i, j])));
  return where;
}

/** [column, row] of one name; a name that is not on the board throws. */
export function place(where, name) {
  const found = where.get(name);
  if (found) return found;
  const names = [...where.keys()];
  throw new RangeError(
    `no place '${name}' on this board: names run ${names[0]} to ${names[names.length - 1]}`,
  );
}

/** `places` of a View's board, once every name that the View uses is found there. */
export function checkedPlaces(view) {
  const where = places(view.board);
  for (const name of namesUsed(view)) place(where, name);
  return where;
}

function* namesUsed(view) {
  yield* view.board.stars;
  for (const piece of view.pieces) yield piece.at;
  for (const mark of view.marks) yield mark.at;
  yield* view.last;
  yield* Object.keys(view.heat);
  for (const link of view.links) yield* [link.a, link.b];
  for (const arrow of view.arrows) {
    if (!isToken(arrow.a)) yield arrow.a;
    yield arrow.b;
  }
}

/** Whether a name stands for something beside the board, such as `hand:b`. */
export function isToken(name) {
  return name.includes(":");
}

/** Peg games are Blue against Red; all others that use "b" are Black's. */
export function hasPegs(view) {
  return view.board.kind === "pits" || view.pieces.some((piece) => piece.k === "peg");
}

/** The name of a side: from the View, else from its turn, else its colour's. */
export function sideName(view, colour) {
  if (Object.hasOwn(view.sides, colour)) return view.sides[colour];
  if (colour && colour === view.turn.c && view.turn.name) return view.turn.name;
  if (colour === "b" && hasPegs(view)) return "Blue";
  return Object.hasOwn(SIDE_NAMES, colour) ? SIDE_NAMES[colour] : colour;
}

/** The colour of the first player's pieces. */
export function firstSide(view) {
  return Object.keys(view.sides)[0] ?? "b";
}
