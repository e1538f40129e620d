/* 33 moves: the games that end with 33 legal moves, to step through. */

import { button, el } from "../../dom.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { framePlayer } from "./frames.js";
import { choices, standAt } from "./words.js";

const WHY =
  "A program that plays Othello needs to know how long a list of legal moves can get, and until 2023 nobody knew. Takizawa settled the question with solvers that ran for hours: 33 moves can occur in a game, 34 never do.";

export async function show(root, { more, overview }) {
  const name = overview.records.some((one) => one.name === more[0]) ? more[0] : overview.records[0].name;
  const game = await ask(`/api/proofs/records/${name}`);
  const line = el("code", { class: "mono proof-record", "data-testid": "record" }, game.record);
  const player = framePlayer({
    label: "The game",
    onStep: (at) => standAt("33", name, String(at)),
    side: el(
      "div",
      { class: "stack-small" },
      el("h2", {}, game.title),
      el("p", {}, game.about),
      el("p", { class: "note" }, "The numbers on the board are the legal moves of the side to move."),
    ),
  });
  const step = /^\d{1,3}$/.test(more[1] ?? "") ? Number(more[1]) : game.frames.length - 1;
  root.append(
    el("p", { class: "proof-lead" }, WHY),
    choices("33", overview.records, name, "Games with 33 moves"),
    el(
      "section",
      { class: "card stack", "aria-label": game.title },
      player.node,
      el(
        "div",
        { class: "row row-apart" },
        line,
        button("Open in Analyse", () => analyse(game.record), { testid: "analyse" }),
      ),
    ),
    el(
      "p",
      { class: "note" },
      "A game is a proof that anybody can check: play it and count. That 34 moves never occur is harder to prove, because nobody can look at all games. ",
      el("a", { href: "#/proofs/lemma" }, "The lemma"),
      " is the first step.",
    ),
  );
  player.show({ frames: game.frames, at: step });
  return () => player.stop();
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
