/* The form that starts a small run: what to learn, how many iterations, which seed. */

import { choice, el, field, setText } from "../../dom.js";
import { ask } from "../../connection.js";
import { roughly } from "./words.js";

const START = 5; // seconds until the first iteration begins
const MOST_SEED = 2147483647;

export function startForm(recipes, { owner }) {
  let current = recipes;
  const about = el("span", { class: "about" });
  const what = choice(
    recipes.map((one) => [one.id, one.title]),
    recipes[0].id,
    () => choose(),
    { name: "recipe", "data-testid": "recipe" },
  );
  const howLong = el("span", { class: "about", "data-testid": "how-long" });
  const iterations = el("input", { name: "iterations", type: "number", min: "1", step: "1", required: true, oninput: () => showDuration(), "data-testid": "iterations" });
  const seed = el("input", { name: "seed", type: "number", min: "0", max: String(MOST_SEED), step: "1", required: true, value: "1", "data-testid": "seed" });
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "start-problem" });
  const go = el("button", { class: "button button-main", type: "submit", "data-testid": "start-run" }, "Start training");
  const node = el(
    "form",
    { class: "card stack", "aria-labelledby": "start-head", onsubmit: submit, "data-testid": "start-form" },
    el("h2", { id: "start-head" }, "Start a small run"),
    field("What it learns", what, about),
    el(
      "div",
      { class: "two" },
      field("Iterations", iterations, howLong),
      field("Seed", seed, "The same number repeats the same run."),
    ),
    problem,
    owner
      ? el("div", { class: "row" }, go)
      : el("p", { class: "note" }, "Only the owner of the lab can start a run. You can watch those that exist."),
  );

  const recipe = () => current.find((one) => one.id === what.value);

  function choose() {
    setText(about, recipe().about);
    iterations.value = String(recipe().iterations);
    iterations.max = String(recipe().most);
    showDuration();
  }

  function showDuration() {
    const { seconds, here, most } = recipe();
    const count = Number(iterations.value);
    const where = here ? "here, by the last such run" : "on two cores of a server";
    const duration = count > 0 ? ` This takes ${roughly(START + seconds * count)} ${where}.` : "";
    setText(howLong, `Rounds of playing and learning, ${most} at most.${duration}`);
  }

  async function submit(event) {
    event.preventDefault();
    setText(problem, "");
    go.disabled = true;
    try {
      const answer = await ask("/api/runs", {
        recipe: what.value,
        iterations: Number(iterations.value),
        seed: Number(seed.value),
      });
      location.hash = `#/train/${encodeURIComponent(answer.run)}`;
    } catch (trouble) {
      setText(problem, trouble.message);
    } finally {
      go.disabled = false;
    }
  }

  choose();
  return {
    node,
    /** Takes new recipes: after each run it is better known how long an iteration takes. */
    update: (next) => {
      current = next;
      showDuration();
    },
  };
}
