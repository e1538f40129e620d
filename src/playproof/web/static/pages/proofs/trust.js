/* What a certificate rests on, in short; docs/proofs/trust.md has it in full. */

import { el } from "../../dom.js";

const NOT = [
  ["Solvers.", "They may have any bugs. A yes comes with a position, whose moves are counted by the rules. A no comes with a proof, which is checked."],
  ["The search backwards,", "if a no is certified: it only says which parts the theorem needs. If it were wrong, some part could not be refuted."],
  ["The contents of the folder.", "The check takes only the statement and the proof from it. The formula and the list of parts are rebuilt and compared."],
];
const TRUSTED = [
  ["The rules.", "That a hundred lines are Othello. They are the same functions that play here, so a mistake would show on the board."],
  ["The question.", "That a statement asks what its sentence says."],
  ["From functions to clauses.", "About 500 lines that turn the rules into yes-or-no unknowns and conditions, and python-sat's encoding of counts."],
  ["The lemma.", "An argument of three lines, to be checked by people."],
  ["Symmetry.", "That a rotated or mirrored position has the rotated or mirrored moves."],
  ["The theorem's list of parts.", "That the parts together make it true."],
  ["The checker.", "About 800 lines that share nothing with the solvers. If drat-trim or cake_lpr are installed, they check the proof too, and their objections count."],
  ["The platform.", "Python, NumPy, Numba, the operating system, and the machine."],
];

export async function show(root) {
  root.append(
    el("p", { class: "proof-lead" }, "A proof by computer is worth only as much as what it takes for granted. This is the list."),
    el("section", { class: "card stack-small" }, el("h2", {}, "What you need not trust"), list(NOT)),
    el("section", { class: "card stack-small" }, el("h2", {}, "What you must trust"), list(TRUSTED)),
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
