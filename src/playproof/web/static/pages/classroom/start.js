/* The form that starts a game in the classroom: board, variant, who decides, and who plays. */

import { choice, el, field, setText } from "../../dom.js";

const BOARDS = ["5x5", "6x6", "7x7", "9x9", "13x13", "19x19"].map((size) => [size, size.replace("x", " × ")]);
const VARIANTS = [
  ["standard", "Standard", "Both sides place pairs; contact along the lines collapses them.", {}],
  ["weak", "Weak", "Diagonal contact collapses pairs, too.", { variant: "weak" }],
  ["symmetric", "Symmetric", "The second stone stands opposite, seen from the centre.", { variant: "symmetric" }],
  ["semi-black", "Only Black has pairs", "White places ordinary stones.", { variant: "semi-black" }],
  ["semi-white", "Only White has pairs", "Black places ordinary stones.", { variant: "semi-white" }],
  ["ghz", "Triplets (GHZ)", "Three entangled stones; contact leaves one.", { k: 3 }],
  ["w", "Triplets (W)", "Three entangled stones; each contact takes one away.", { k: 3, group: "w" }],
];
const BETWEEN = [
  ["both", "Two people at this screen"],
  ["class", "Two pupils on their own devices (I watch)"],
  ["pupil", "Me as Black and a pupil"],
];

/** The form; `start(message)` gets the `new` message. */
export function startForm(catalog, start) {
  const game = catalog.games.find((one) => one.name === "quantum-go");
  const levels = (game?.opponents ?? []).map((one) => [one.spec, `Me as Black and the computer: ${one.level}`]);
  const board = choice(BOARDS, "6x6", null, { name: "board" });
  const about = el("span", { class: "about" });
  const variant = choice(VARIANTS.map(([id, label]) => [id, label]), "standard", () => showNotes(), { name: "variant" });
  const between = choice([...BETWEEN, ...levels], "both", null, { name: "between" });
  const born = el("input", { type: "checkbox", name: "born", "data-testid": "start-born", onchange: () => showNotes() });
  const alpha = el("input", { type: "range", name: "later", min: "5", max: "95", step: "5", value: "50", class: "tour-bar" });
  const odds = el("span", { class: "about" });
  const problem = el("p", { class: "problem", role: "alert" });
  const alphaField = field("Probability that a pair's second stone stays", alpha, odds);
  alpha.addEventListener("input", () => showNotes());

  const node = el(
    "form",
    { class: "card stack", "aria-labelledby": "start-head", onsubmit: submit, "data-testid": "class-start" },
    el("h2", { id: "start-head" }, "Start a game"),
    el("div", { class: "two" }, field("Board", board), field("Kind of game", variant, about)),
    field("Who plays", between),
    el("label", { class: "check" }, born, "Chance decides which stone stays (Born's rule)"),
    alphaField,
    problem,
    el("div", { class: "row" }, el("button", { class: "button button-main", type: "submit", "data-testid": "class-begin" }, "Start")),
  );

  function showNotes() {
    const [id, , words] = VARIANTS.find(([name]) => name === variant.value);
    setText(about, words);
    alphaField.hidden = !born.checked || id === "ghz" || id === "w";
    setText(odds, `${alpha.value} % for the point that comes later by column, then row; ${100 - alpha.value} % for the other.`);
  }

  function options() {
    const [, , , more] = VARIANTS.find(([name]) => name === variant.value);
    const chosen = { board: board.value, ...more };
    if (born.checked) chosen.collapse = "born";
    if (born.checked && alpha.value !== "50" && !alphaField.hidden) chosen.alpha = Math.sqrt(alpha.value / 100);
    return chosen;
  }

  function seats() {
    const fixed = { both: ["human", "human"], class: ["open", "open"], pupil: ["human", "open"] };
    return fixed[between.value] ?? ["human", between.value];
  }

  async function submit(event) {
    event.preventDefault();
    setText(problem, "");
    try {
      await start({ type: "new", game: "quantum-go", variant: options(), seats: seats() });
    } catch (trouble) {
      setText(problem, trouble.message);
    }
  }

  showNotes();
  return { node };
}

/** The options of the same game with chance on or off. */
export function withBorn(options, on) {
  const { collapse, ...rest } = options;
  return on ? { ...rest, collapse: "born" } : rest;
}
