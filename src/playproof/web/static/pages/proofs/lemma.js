/* The lemma, step by step: which squares can have been filled in a game. */

import { el, field } from "../../dom.js";
import { ask } from "../../connection.js";
import { framePlayer } from "./frames.js";
import { choices, standAt } from "./words.js";

const LEMMA =
  "A placed disc turns another one over. So in some direction the next two squares were occupied before.";

export async function show(root, { more, overview }) {
  const own = more[0] === "own";
  const name = own || overview.examples.some((one) => one.name === more[0]) ? more[0] : overview.examples[0].name;
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "lemma-problem" });
  root.append(
    el("p", { class: "proof-lead" }, "A lemma is a small fact that helps to prove a large one. This is the lemma:"),
    el("blockquote", { class: "proof-lemma" }, LEMMA),
    el(
      "p",
      { class: "proof-lead" },
      "That is enough to rule out positions without looking at a single game: it must be possible to fill the occupied squares one by one, starting from the four in the centre. Tinted squares are still to be filled, rings mark the two squares that the new one needs, and crosses mark squares that cannot be filled.",
    ),
    choices("lemma", overview.examples, name, "Examples"),
  );
  let player = null;
  try {
    const path = own ? `/api/proofs/lemma?position=${encodeURIComponent(more[1] ?? "")}` : `/api/proofs/lemma/${name}`;
    const example = await ask(path);
    const places = own ? ["lemma", "own", more[1]] : ["lemma", name];
    player = framePlayer({
      label: "Steps",
      onStep: (at) => standAt(...places, String(at)),
      side: el("div", { class: "stack-small" }, el("h2", {}, example.title), el("p", {}, example.about)),
    });
    root.append(el("section", { class: "card", "aria-label": example.title }, player.node));
    const step = more[own ? 2 : 1] ?? "";
    player.show({ frames: example.frames, at: /^\d{1,3}$/.test(step) ? Number(step) : 0 });
  } catch (trouble) {
    problem.textContent = trouble.message;
  }
  root.append(
    ownForm("lemma", own ? more[1] : "", problem),
    el(
      "p",
      { class: "note" },
      "Every position of a game passes this test, but not every position that passes it occurs in a game. To decide the rest, we search ",
      el("a", { href: "#/proofs/levels" }, "backwards"),
      ".",
    ),
  );
  return () => player?.stop();
}

/** A form for your own position, which is shown at #/proofs/PART/own/TEXT. */
export function ownForm(part, text, problem) {
  const box = el("input", {
    name: "position",
    value: text ?? "",
    maxlength: "400",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    class: "mono",
    "data-testid": "own-position",
  });
  return el(
    "form",
    {
      class: "card stack-small no-print",
      onsubmit: (event) => {
        event.preventDefault();
        location.hash = `#/proofs/${part}/own/${encodeURIComponent(box.value.trim())}`;
      },
    },
    el("h2", {}, "A position of your own"),
    field("Othello, as moves or as a board", box, "Moves such as f5d6c3, or 64 letters X, O and - starting at a1, and the side to move."),
    problem,
    el("div", { class: "row" }, el("button", { class: "button", type: "submit", "data-testid": "own-go" }, "Show it")),
  );
}
