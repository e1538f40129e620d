/* A game that ends with 33 legal moves, to step through, with its record. */

import { ask } from "../../connection.js";
import { button, el } from "../../dom.js";
import { notify } from "../../notices.js";
import { framePlayer } from "./frames.js";

/** The card of a game from `/api/proofs/records/NAME`: `{node, show(step), stop()}`.  `step` may be the
    text of an address; anything else shows the end of the game.  `onStep(at)` gets each step. */
export function gameCard(game, onStep) {
  const player = framePlayer({
    label: "The game",
    onStep,
    side: el(
      "div",
      { class: "stack-small" },
      el("h2", {}, game.title),
      el("p", {}, game.about),
      el("p", { class: "note" }, "The numbers on the board are the legal moves of the side to move."),
    ),
  });
  const node = el(
    "section",
    { class: "card stack", "aria-label": game.title },
    player.node,
    el(
      "div",
      { class: "row row-apart" },
      el("code", { class: "mono proof-record", "data-testid": "record" }, game.record),
      button("Open in Analyse", () => analyse(game.record), { testid: "analyse" }),
    ),
  );
  return {
    node,
    show: (step) =>
      player.show({ frames: game.frames, at: /^\d{1,3}$/.test(step ?? "") ? Number(step) : game.frames.length - 1 }),
    stop: player.stop,
  };
}

async function analyse(record) {
  try {
    const message = { game: "othello", text: record, analysis: true, seats: ["human", "human"] };
    const state = await ask("/api/games", message);
    location.hash = `#/analyse/${state.id}`;
  } catch (trouble) {
    notify(trouble.message);
  }
}
