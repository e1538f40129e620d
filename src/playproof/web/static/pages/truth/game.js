/* A game compared with exact values: a strip of who was winning, and the moves that changed it. */

import { clear, el } from "../../dom.js";

const SVG = "http://www.w3.org/2000/svg";
const LEVELS = { 1: 4, 0: 24, "-1": 44 }; // y of a stretch: Blue above, Red below
const WIDE = 600;

/** `go(ply)` shows a position of the game. */
export function gamePart(go) {
  const verdict = el("p", { "data-testid": "verdict" });
  const strip = el("div", { class: "strip", role: "img" });
  const list = el("ol", { class: "plain-list mistakes", "data-testid": "mistakes" });
  const node = el(
    "section",
    { class: "card stack-small", hidden: true, "aria-labelledby": "game-head", "data-testid": "truth-game" },
    el("h2", { id: "game-head" }, "The game, move by move"),
    verdict,
    strip,
    el("p", { class: "note" }, "Top: Blue wins with best play. Middle: a draw. Bottom: Red wins. Gaps are positions without a known value."),
    list,
  );
  let found = null;

  function show(game, ply = 0) {
    found = game;
    node.hidden = !game;
    if (!game) return;
    verdict.textContent = game.verdict;
    strip.setAttribute("aria-label", `Who was winning, move by move. ${game.verdict}`);
    clear(
      list,
      game.moves.flatMap((move, i) => (move.threw ? [mistake(move, i + 1)] : [])),
    );
    at(ply);
  }

  function mistake(move, number) {
    const better = move.better.length ? ` Better: ${move.better.join(", ")}.` : "";
    return el(
      "li",
      {},
      el(
        "button",
        { type: "button", class: "move", onclick: () => go(number - 1), "aria-label": `Show the position before move ${number}, ${move.n}` },
        el("span", { class: "move-number", "aria-hidden": "true" }, number),
        el("span", { class: "mono" }, move.n),
      ),
      el("span", { class: "note" }, `${move.before.words}, then ${move.after.words}.${better}`),
    );
  }

  /** Draws the strip with a line at the position that is shown. */
  function at(ply) {
    if (found) strip.replaceChildren(drawn(found.moves, ply));
  }

  return { node, show, at };
}

function piece(tag, given) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  return made;
}

function drawn(moves, ply) {
  const svg = piece("svg", { viewBox: `0 0 ${WIDE} 64`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const wide = WIDE / moves.length;
  svg.append(piece("rect", { x: 0, y: 0, width: WIDE, height: 64, class: "strip-back" }));
  moves.forEach((move, i) => {
    if (!move.after) return;
    const { who } = move.after;
    const kind = who > 0 ? "blue" : who < 0 ? "red" : "draw";
    svg.append(piece("rect", { x: i * wide, y: LEVELS[who], width: wide, height: 16, class: `strip-${kind}` }));
    if (move.threw) svg.append(piece("rect", { x: i * wide, y: 0, width: Math.max(2, wide / 4), height: 64, class: "strip-mistake" }));
  });
  const x = Math.min(WIDE - 2, Math.max(0, ply * wide - 1));
  svg.append(piece("rect", { x, y: 0, width: 3, height: 64, class: "strip-here" }));
  return svg;
}
