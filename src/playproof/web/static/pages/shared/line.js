/* Best play as buttons, one per move. */

import { el } from "../../dom.js";

/** `follow(count)` shows the line up to its count-th move; `what` is its name. */
export function lineMoves(names, follow, what = "the best line") {
  return names.map((name, i) =>
    el(
      "button",
      {
        type: "button",
        class: "line-move mono",
        "aria-label": `Show ${what} up to ${name}, move ${i + 1}`,
        onclick: () => follow(i + 1),
      },
      name,
    ),
  );
}
