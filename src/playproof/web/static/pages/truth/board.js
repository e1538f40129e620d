/* The board on which each move carries its value: a number in the pit, an arrow for a step. */

import "../../board/board.js";
import { el } from "../../dom.js";
import { fate } from "./values.js";

const MOST_ARROWS = 4;

/** `play(name)` is called for each move. */
export function truthBoard(play) {
  const node = el("play-board", { "data-testid": "board" });
  node.addEventListener("move", (event) => play(event.detail.n));
  const legend = el("p", { class: "note truth-legend" });

  function show(seen) {
    const moves = seen.known?.moves ?? [];
    const places = moves.filter((one) => !/[-x]/.test(one.n));
    const { c } = seen.view.turn;
    const marks = places.map((one) => ({ at: one.n, k: "num", t: label(one, c) }));
    node.view = { ...seen.view, marks: marks.length ? marks : seen.view.marks };
    node.heat = places.length ? Object.fromEntries(places.map((one) => [one.n, warmth(one, c, places)])) : null;
    node.arrows = arrowsOf(moves, c);
    legend.textContent = words(places, node.arrows);
  }

  return { node, legend, show };
}

/** A number is a win in that many moves, a number after a minus a loss, = a draw. */
function label(one, colour) {
  const kind = fate(one.who, colour);
  if (kind === "draw") return "=";
  const count = one.in ?? "";
  return kind === "win" ? String(count || "+") : `−${count}`;
}

/** Heat: quick wins are the warmest, draws are cool, losses have none. */
function warmth(one, colour, all) {
  const kind = fate(one.who, colour);
  if (kind === "loss") return 0;
  if (kind === "draw") return 0.25;
  const wins = all.filter((other) => fate(other.who, colour) === "win").map((other) => other.in ?? 0);
  const [least, most] = [Math.min(...wins), Math.max(...wins)];
  return most === least ? 0.8 : 1 - 0.5 * (((one.in ?? 0) - least) / (most - least));
}

/** The best steps and jumps, if no placement is as good. */
function arrowsOf(moves, colour) {
  if (!moves.length) return null;
  const best = moves.filter((one) => one.who === moves[0].who && one.in === moves[0].in);
  const seen = new Set();
  const arrows = [];
  for (const one of best) {
    const [, a, b] = /^(\w\d)[-x](\w\d)/.exec(one.n) ?? [];
    if (!a || seen.has(a + b)) continue;
    seen.add(a + b);
    arrows.push({ a, b, p: 0.5, best: true, t: label(one, colour) });
  }
  return arrows.slice(0, MOST_ARROWS);
}

function words(places, arrows) {
  const parts = [];
  if (places.length) parts.push("In a pit: the number of moves in which the side to move wins if it places there; = is a draw, − a loss.");
  if (arrows?.length) parts.push("Arrows: the best steps and jumps.");
  return parts.join(" ");
}
