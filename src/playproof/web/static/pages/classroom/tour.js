/* The guided tour: Example 1 of the paper, step by step. */

import { button, el, setText } from "../../dom.js";
import { dim } from "../shared/moves.js";

/** The card; `go(number)` is called with the step to show. */
export function tourCard(tour, go, playOn) {
  const heading = el("h2", { id: "tour-head", tabindex: "-1", "data-testid": "tour-heading" });
  const text = el("p", { class: "tour-text", "data-testid": "tour-text" });
  const where = el("p", { class: "note", "data-testid": "tour-where" });
  const back = button("Back", () => move(-1), { testid: "tour-back" });
  const next = button("Next", () => move(1), { testid: "tour-next", main: true });
  const first = button("From the beginning", () => go(0), { testid: "tour-first" });
  const bar = el("input", {
    type: "range",
    class: "tour-bar",
    min: "0",
    max: String(tour.steps.length - 1),
    step: "1",
    "aria-label": "Step of the tour",
    oninput: () => go(Number(bar.value)),
  });
  let now = 0;

  const node = el(
    "section",
    { class: "card stack-small tour-card", "aria-labelledby": "tour-head" },
    el("div", { class: "row row-apart" }, el("span", { class: "pill" }, "Guided tour"), where),
    // Above the text, so that on a phone the buttons stay in place and in view with the board.
    el("div", { class: "row no-print" }, back, next),
    bar,
    heading,
    el("div", { "aria-live": "polite" }, text),
    el("div", { class: "row no-print" }, first, button("Play on from here", () => playOn(tour.steps[now]), { testid: "tour-play" })),
    el("p", { class: "note no-print" }, `${tour.source}. `, el("span", { class: "for-keys" }, "Keys: , and . go one step back and forward.")),
  );

  function move(by) {
    const to = now + by;
    if (to >= 0 && to < tour.steps.length) go(to);
  }

  function show(number) {
    now = number;
    const step = tour.steps[number];
    setText(heading, step.heading);
    setText(text, step.text);
    setText(where, `${step.turn ? `Turn ${step.turn} of 30` : "Before the first turn"}, step ${number + 1} of ${tour.steps.length}`);
    bar.value = String(number);
    bar.setAttribute("aria-valuetext", `${number + 1}: ${step.heading}`);
    dim(back, number === 0);
    dim(next, number === tour.steps.length - 1);
    first.hidden = number === 0;
  }

  return { node, show, keys: { ",": () => move(-1), ".": () => move(1), "<": () => go(0), ">": () => go(tour.steps.length - 1) } };
}
