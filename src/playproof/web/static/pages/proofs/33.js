/* 33 moves: the games that end with 33 legal moves, to step through. */

import { ask } from "../../connection.js";
import { el } from "../../dom.js";
import { gameCard } from "./game.js";
import { choices, standAt } from "./words.js";

const WHY =
  "A program that plays Othello needs to know how long a list of legal moves can get, and until 2023 nobody knew. Takizawa settled the question with solvers that ran for hours: 33 moves can occur in a game, 34 never do.";

export async function show(root, { more, overview }) {
  const name = overview.records.some((one) => one.name === more[0]) ? more[0] : overview.records[0].name;
  const game = await ask(`/api/proofs/records/${name}`);
  const card = gameCard(game, (at) => standAt("33", name, String(at)));
  root.append(
    el("p", { class: "proof-lead" }, WHY),
    choices("33", overview.records, name, "Games with 33 moves"),
    card.node,
    el(
      "p",
      { class: "note" },
      "A game is a proof that anybody can check: play it and count. ",
      el("a", { href: "#/proofs/all" }, "All such positions"),
      " are known. That 34 moves never occur is harder to prove, because nobody can look at all games. ",
      el("a", { href: "#/proofs/lemma" }, "The lemma"),
      " is the first step.",
    ),
  );
  card.show(more[1]);
  return () => card.stop();
}
