/* The lines of an analysis: the game and its variations. */

import { clear, el } from "../../dom.js";

const SHOWN = 6; // moves of a variation that its button names

export function variationsCard(choose) {
  const list = el("ul", { class: "variations", "data-testid": "lines" });
  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "lines-head" },
    el("h2", { id: "lines-head" }, "Variations"),
    el("p", { class: "note" }, "Play another move at any point of the game to start a variation."),
    list,
  );

  function show({ lines = [] }) {
    clear(
      list,
      lines.map((line) =>
        el(
          "li",
          {},
          el(
            "button",
            {
              type: "button",
              class: "move",
              "aria-current": line.current ? "true" : null,
              dataset: { line: String(line.id) },
              onclick: () => choose(line.id),
            },
            el("span", {}, label(line)),
          ),
        ),
      ),
    );
  }

  return { node, show };
}

function label(line) {
  if (line.parent === null || line.parent === undefined) return `The game, ${line.moves.length} moves`;
  const own = line.moves.slice(0, SHOWN).join(" ");
  return `From move ${line.from + 1}: ${own}${line.moves.length > SHOWN ? " …" : ""}`;
}
