// Descriptions of the board's points for screen readers.

import { SIDE_NAMES } from "./data.js";
import { hasPegs, sideName } from "./places.js";

const KINDS = { P: "pawn", N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };

/** "black", "blue": the colour of side `colour` as the picture shows it. */
function colourWord(view, colour) {
  if (colour === "b" && hasPegs(view)) return "blue";
  return (Object.hasOwn(SIDE_NAMES, colour) ? SIDE_NAMES[colour] : colour).toLowerCase();
}

function pieceWords(view, piece) {
  const kind = Object.hasOwn(KINDS, piece.k) ? KINDS[piece.k] : piece.k;
  const colour = colourWord(view, piece.c);
  const words = [`${colour} ${kind}`];
  // The owner, if the colour is not the owner's name.
  const owner = view.sides[piece.c];
  if (owner && owner.toLowerCase() !== colour) words[0] += ` of ${owner}`;
  if (piece.t) words.push(`number ${piece.t}`);
  if (piece.w < 1) words.push(`here with probability ${Math.round(100 * piece.w)}%`);
  return words.join(", ");
}

/** A function from a point to its description: "d3, empty", "e4, black disc, last move". */
export function describer(view) {
  const pieces = new Map(view.pieces.map((piece) => [piece.at, piece]));
  const last = new Set(view.last);
  return (at) => {
    const piece = pieces.get(at);
    const what = piece ? pieceWords(view, piece) : "empty";
    return `${at}, ${what}${last.has(at) ? ", last move" : ""}`;
  };
}

/** The name of a token beside the board: `opt:q` is a queen, `hand:b` Black's hand. */
export function tokenName(view, node) {
  const [kind, rest] = [node.token.slice(0, node.token.indexOf(":")), node.token.split(":")[1]];
  if (kind === "hand") return `From ${sideName(view, rest)}'s hand`;
  const letter = rest.toUpperCase();
  if (kind === "opt" && view.board.style === "check" && Object.hasOwn(KINDS, letter)) {
    return KINDS[letter][0].toUpperCase() + KINDS[letter].slice(1);
  }
  return rest[0] ? rest[0].toUpperCase() + rest.slice(1) : rest;
}

/** The points whose stones an event takes off.  Where a stone was looked for and
 * not found (`there` is false), it is the point looked at. */
export function goneOf(event) {
  return event.there === false ? [event.to] : [event.gone ?? []].flat();
}

/** An event of the last move as a sentence. */
export function eventWords(event) {
  if (event.t) return event.t;
  if (event.k !== "collapse") return "";
  const unsure = typeof event.p === "number" && event.p < 1;
  const chance = unsure ? ` The probability was ${Math.round(100 * event.p)}%.` : "";
  if (event.there === true) return `Group ${event.pair}: the stone is there.${chance}`;
  const goes = `${goneOf(event).join(", ")} ${goneOf(event).length === 1 ? "goes" : "go"}`;
  const stays = event.there === false ? "" : `${event.to} stays, `;
  return `Group ${event.pair} collapsed: ${stays}${goes}.${chance}`;
}
