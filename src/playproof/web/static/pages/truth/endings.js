/* Endings of Othello, solved on the spot: a position with few empty squares, at #/truth/othello/TEXT. */

import { button, el, field, setText } from "../../dom.js";
import { ask } from "../../connection.js";
import { signed, walk } from "./walk.js";

/** The address of a position, optionally with moves after it. */
export function endingAddress(base, names = []) {
  const text = names.length ? `${base}; ${names.join(" ")}` : base;
  return `#/truth/othello/${encodeURIComponent(text)}`;
}

export function endingsPart({ empty, example }) {
  const place = walk("ending", { play: (name) => go([...seen.names, name]), step: (by) => go(seen.names.slice(0, Math.max(0, seen.names.length + by))) });
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "ending-problem" });
  const text = el("textarea", { name: "ending", rows: "2", spellcheck: false, autocapitalize: "off", required: true, class: "mono few-lines", "data-testid": "ending-text" });
  let seen = null;
  let turn = 0;

  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "ending-head", id: "endings" },
    el("h2", { id: "ending-head" }, "Endings of Othello"),
    el("p", {}, `Othello with at most ${empty} empty squares is solved while you wait: the value of every move, and best play for both sides.`),
    el(
      "form",
      {
        class: "stack-small no-print",
        onsubmit: (event) => {
          event.preventDefault();
          location.hash = endingAddress(text.value.trim());
        },
      },
      field("A game or a position", text, "The moves to the position, such as f5d6c3 …, or its 64 squares from a1 on as X, O and -, then the side to move."),
      el(
        "div",
        { class: "row" },
        el("button", { class: "button button-main", type: "submit", "data-testid": "ending-open" }, "Solve it"),
        button("An example", () => (location.hash = endingAddress(example)), { testid: "ending-example" }),
      ),
    ),
    problem,
    place.node,
  );

  function go(names) {
    location.hash = endingAddress(seen.base, names);
  }

  async function open([wanted = ""]) {
    const mine = ++turn;
    if (!wanted) return node.scrollIntoView({ block: "start" });
    setText(problem, "");
    const show = place.open();
    place.setStatus("Solving it …");
    try {
      const found = await ask(`/api/truth/ending?${new URLSearchParams({ text: wanted })}`);
      if (mine !== turn) return null;
      seen = found;
      text.value = seen.base;
      paint();
      show();
    } catch (trouble) {
      if (mine !== turn) return null;
      text.value = wanted;
      place.node.hidden = !seen;
      if (seen) paint();
      setText(problem, trouble.message);
      problem.scrollIntoView({ block: "center" });
    }
    return null;
  }

  function paint() {
    const { view, value, moves, line } = seen;
    const marks = moves.filter((one) => one.n !== "pass").map((one) => ({ at: one.n, k: "num", t: one.value === null ? "?" : mine(one.value, view) }));
    place.show({
      title: seen.empty === 1 ? "1 square is empty" : `${seen.empty} squares are empty`,
      view: { ...view, marks },
      value: view.over ?? `${view.turn.name} to move: ${verdict(value)}.`,
      choices: moves.map((one) => [one.n, one.value === null ? "no time" : signed(one.value)]),
      names: seen.names,
      footer: [
        line.length ? [el("strong", {}, "Best play "), el("span", { class: "mono" }, line.join(" ")), ". "] : null,
        marks.length ? "On a square: the final margin for the side to move if it plays there. " : null,
        `Solved in ${seen.seconds} s.`,
      ],
    });
  }

  return { node, open };
}

/** The value in words, from the mover's side. */
function mine(value, view) {
  return signed(view.turn.c === "b" ? value : -value);
}

function verdict(value) {
  if (value === null) return "not solved in the time available";
  if (value === 0) return "a draw";
  return `${value > 0 ? "Black" : "White"} wins by ${Math.abs(value)}`;
}
