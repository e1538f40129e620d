/* The banner above the board: who decides what, and which of Ranchin's steps this is.
   It is not a live region, since the board reads the question out. */

import { clear, el, setText } from "../../dom.js";

const STEPS = ["Own older pairs", "The other side's pairs", "The new pair"];

export function stepBanner() {
  const question = el("strong", { "data-testid": "question" });
  const dot = el("span", { class: "dot", "aria-hidden": "true" });
  const why = el("p", { class: "note", "data-testid": "why" });
  const name = el("span", { class: "step-name", "data-testid": "step-name" });
  const rail = el("ol", { class: "rail", "aria-label": "Steps of a collapse (Ranchin, 2016)" });
  const node = el(
    "div",
    { class: "card step-banner stack-small" },
    el("div", { class: "row row-apart" }, name, rail),
    el("div", { class: "row step-question" }, dot, question),
    why,
  );

  function show(step) {
    setText(name, step.name);
    setText(question, step.question.replace(/: (step \d|a pair left over)$/, ""));
    setText(why, step.why);
    dot.className = step.colour ? `dot dot-${step.colour}` : "dot";
    dot.hidden = !step.who;
    node.classList.toggle("step-collapse", step.ranchin !== null);
    clear(
      rail,
      STEPS.map((label, i) => stop(label, i + 1, step.ranchin ?? 0)),
    );
  }

  function stop(label, number, now) {
    const kind = number === now ? "rail-now" : number < now ? "rail-done" : "";
    return el(
      "li",
      { class: kind, "aria-current": number === now ? "step" : null, title: label },
      el("span", { "aria-hidden": "true" }, number),
      el("span", { class: "unseen" }, label),
    );
  }

  return { node, show };
}
