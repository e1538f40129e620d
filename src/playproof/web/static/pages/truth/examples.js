/* Positions of the solved game that are worth a look. */

import { clear, el } from "../../dom.js";
import { drawn } from "../../rules/pictures.js";

/** `open(example)` shows an example on the board above. */
export function examplesPart(truth, open) {
  const frames = [];
  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "examples-head" },
    el("h2", { id: "examples-head" }, "Positions worth a look"),
    el(
      "ul",
      { class: "examples" },
      truth.examples.map((one) => {
        const frame = el("span", { class: "example-picture", "aria-hidden": "true" });
        frames.push([frame, one]);
        return el(
          "li",
          {},
          el(
            "button",
            { type: "button", class: "example", onclick: () => open(one), "data-testid": `example-${one.id}` },
            frame,
            el("span", {}, el("strong", {}, one.title), el("span", { class: "note" }, one.about)),
          ),
        );
      }),
    ),
  );

  function paint() {
    const { theme } = document.documentElement.dataset;
    for (const [frame, one] of frames) clear(frame, drawn("choko", { rows: rowsOf(one.position), caption: one.title }, theme));
  }

  paint();
  addEventListener("themechange", function again() {
    if (node.isConnected) paint();
    else removeEventListener("themechange", again);
  });
  return node;
}

/** The rows of a position's text, a dot for each empty pit. */
function rowsOf(position) {
  const [board] = position.split(" ");
  return board.split("/").map((row) => row.replace(/\d/g, (count) => ".".repeat(Number(count))));
}
