/* What a certificate rests on, in short; docs/proofs/trust.md has it in full. */

import { el } from "../../dom.js";

const NOT = [
  ["Solvers.", "They may be as wrong as they like. A yes comes with a position, which is played by the rules and counted. A no comes with a proof, which is checked."],
  ["The search backwards,", "where a no is certified: it only says which parts the theorem needs. If it were wrong, a part could not be refuted."],
  ["What is in the folder.", "The check takes nothing from it but the statement and the proof. The formula and the list of parts are made anew and compared."],
];
const TRUSTED = [
  ["The rules.", "That a hundred lines are Othello. They are the very functions that play here, so a mistake would show on the board."],
  ["The question.", "That a statement asks what its sentence says."],
  ["From functions to clauses.", "About 500 lines that turn the rules into yes-or-no unknowns and conditions, and python-sat's way to count."],
  ["The lemma.", "Three lines of argument for people."],
  ["Symmetry.", "That a turned position has the turned moves."],
  ["The theorem's list of parts.", "That the parts together make it true."],
  ["The checker.", "About 700 lines that share nothing with the solvers. Where drat-trim or cake_lpr are installed they look too, and their objection counts."],
  ["The ground.", "Python, NumPy, Numba, the operating system, the machine."],
];

export async function show(root) {
  root.append(
    el("p", { class: "proof-lead" }, "A proof by computer is worth as much as what it takes for granted. This is the list."),
    el("section", { class: "card stack-small" }, el("h2", {}, "You need not believe"), list(NOT)),
    el("section", { class: "card stack-small" }, el("h2", {}, "You must believe"), list(TRUSTED)),
    el(
      "p",
      { class: "note" },
      "A certificate holds plain files in the formats of the SAT competitions (DIMACS and DRAT): any other checker can read them. ",
      el("a", { href: "#/proofs/check" }, "Check one"),
      ".",
    ),
  );
}

function list(items) {
  return el("ul", { class: "proof-points" }, items.map(([head, text]) => el("li", {}, el("strong", {}, head), ` ${text}`)));
}
