/* Best play as buttons, one a move. */

import { el } from "../../dom.js";

/** `follow(count)` shows the line up to its count-th move. */
export function lineMoves(names, follow) {
  return names.map((name, i) =>
    el(
      "button",
      {
        type: "button",
        class: "line-move mono",
        "aria-label": `Show the best line up to ${name}, move ${i + 1}`,
        onclick: () => follow(i + 1),
      },
      name,
    ),
  );
}
