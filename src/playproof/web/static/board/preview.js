// A preview: the position after the clicks so far.

import { CHESS } from "./data.js";
import { isToken, places } from "./places.js";

/** A View with every list that drawing needs, and the page's overlays. */
export function whole(view, { heat = null, arrows = null } = {}) {
  const lists = ["pieces", "links", "marks", "arrows", "last", "hands", "legal"];
  const more = ["actions", "steps", "events"];
  const found = { ...view };
  for (const name of [...lists, ...more]) found[name] ??= [];
  found.board = { ...view.board, stars: view.board.stars ?? [] };
  found.heat ??= {};
  // An agent may consider a pass, which has no place.
  const where = heat || arrows ? places(found.board) : null;
  if (heat) found.heat = Object.fromEntries(Object.entries(heat).filter(([at]) => where.has(at)));
  const drawable = ({ a, b }) => where.has(b) && (isToken(a) || where.has(a));
  if (arrows) found.arrows = [...found.arrows, ...arrows.filter(drawable)];
  found.score ??= {};
  found.sides ??= {};
  found.say ??= "";
  found.turn ??= { c: "", name: "", who: "other" };
  return found;
}

/** The View after the clicks of `walk`: a moving piece has moved, captured pieces are
 * faint and crossed.  A new piece is not added, since the ghost shows it. */
export function preview(view, walk) {
  const path = walk.path;
  if (!path.length) return view;
  const moved = new Map(view.pieces.map((piece) => [piece.at, piece]));
  let from = null;
  let to = null;
  for (const { token, kind } of path) {
    if (token.startsWith("opt:")) promote(moved, to, token.slice(4).toUpperCase());
    else if (isToken(token)) from = null;
    else if (kind === "src") from = token;
    else if (kind === "to" && from && moved.has(from)) {
      moved.set(token, { ...moved.get(from), at: token });
      moved.delete(from);
      [from, to] = [null, token];
    }
  }
  const gone = goingPoints(walk).filter((at) => moved.has(at) && at !== to);
  for (const at of gone) moved.set(at, { ...moved.get(at), w: 0.3 });
  // Dots and numbers mark first clicks, and the first click was made.
  const marks = view.marks.filter(({ k }) => k !== "dot" && k !== "num");
  for (const at of gone) marks.push({ at, k: "cross" });
  return { ...view, pieces: [...moved.values()], marks, arrows: [] };
}

/** The pieces that are certainly captured; none before the second click. */
function goingPoints(walk) {
  const node = walk.pending ?? walk.node;
  const more = node.path.filter(({ kind }) => kind === "rm").map(({ token }) => token);
  return node.path.length < 2 ? more : [...new Set([...node.gone, ...more])];
}

function promote(pieces, at, kind) {
  if (at && Object.hasOwn(CHESS.shapes, kind)) pieces.set(at, { ...pieces.get(at), k: kind });
}
