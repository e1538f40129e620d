/* The form that starts a game: game, kind of game, against whom, which side, clock, seed. */

import { choice, clear, el, field, fill, setText } from "../../dom.js";
import { recallData, remember } from "../../storage.js";
import { optionFields } from "../shared/options.js";
import { gameOf } from "../shared/words.js";

const CLOCKS = [
  ["", "No clock"],
  ["180+2", "3 minutes, 2 seconds a move"],
  ["300+3", "5 minutes, 3 seconds a move"],
  ["600+5", "10 minutes, 5 seconds a move"],
  ["1800+0", "30 minutes"],
];
const AGAINST = [
  ["agent", "The computer"],
  ["beside", "A person beside me"],
  ["open", "A person on another screen"],
];

/** The form; `start(message)` gets the `new` message and may refuse with one line. */
export function newGameForm(catalog, start) {
  const stored = recallData("new", {});
  const games = el("div", { class: "tiles" });
  const variant = choice([], null, () => describeVariant(), { name: "variant" });
  const variantAbout = el("span", { class: "about" });
  const against = choice(AGAINST, stored.against ?? "agent", () => arrange(), { name: "against" });
  const level = choice([], null, () => describeLevel(), { name: "level" });
  const levelAbout = el("span", { class: "about" });
  const side = choice([], null, null, { name: "side" });
  const clock = choice(CLOCKS, stored.clock ?? "", null, { name: "clock" });
  const seed = el("input", {
    name: "seed",
    type: "number",
    min: "0",
    max: "2147483647",
    step: "1",
    placeholder: "any",
  });
  const problem = el("p", { class: "problem", role: "alert" });
  const rules = el("a", { class: "rules-link" });
  const own = el("div"); // the options of a game that brings them
  const broken = (catalog.broken ?? []).map((one) => el("p", { class: "note" }, `Not here: ${one.error}.`));
  let game = gameOf(catalog, stored.game ?? "othello");
  let options = optionFields(game);

  const variantField = field("Rules and board", variant, variantAbout);
  const levelField = field("Level", level, levelAbout);
  const sideField = field("You play", side);
  const node = el(
    "form",
    { class: "card stack new-game", "aria-labelledby": "new-head", "data-testid": "new-game", onsubmit: submit },
    el("h2", { id: "new-head" }, "New game"),
    el("fieldset", { class: "field" }, el("legend", {}, "Game"), games, rules, broken),
    variantField,
    own,
    field("Against", against),
    el("div", { class: "two" }, levelField, sideField),
    field("Clock", clock),
    el(
      "details",
      {},
      el("summary", {}, "More"),
      field("Seed", seed, "The same number repeats the computer's random choices."),
    ),
    problem,
    el("button", { class: "button button-main", type: "submit", "data-testid": "start" }, "Start the game"),
  );

  fill(
    games,
    catalog.games.map((one) =>
      el(
        "label",
        { class: "tile" },
        el("input", {
          type: "radio",
          name: "game",
          value: one.name,
          checked: one.name === game.name,
          onchange: () => choose(one),
        }),
        el("span", {}, one.title),
      ),
    ),
  );

  function choose(next) {
    game = next;
    const levels = game.opponents;
    const old = stored.game === game.name ? stored : {};
    options = optionFields(game, old.options ?? {});
    clear(own, options.node);
    variantField.hidden = game.variants.length < 2;
    clear(variant, entries(game.variants.map((one) => [one.id, one.label])));
    clear(level, entries(levels.map((one) => [one.spec, one.level])));
    const sides = game.players.map((name, i) => [String(i), `${name}, ${i ? "second" : "first"}`]);
    clear(side, entries([...sides, ["any", "Either, at random"]]));
    if (game.variants.some((one) => one.id === old.variant)) variant.value = old.variant;
    if (levels.some((one) => one.spec === old.level)) level.value = old.level;
    if (old.side) side.value = old.side;
    rules.href = `#/rules/${game.name}`;
    setText(rules, `How to play ${game.title}`);
    describeVariant();
    describeLevel();
    arrange();
  }

  function describeVariant() {
    setText(variantAbout, game.variants.find((one) => one.id === variant.value)?.about ?? "");
  }

  function describeLevel() {
    setText(levelAbout, game.opponents.find((one) => one.spec === level.value)?.about ?? "");
  }

  function arrange() {
    levelField.hidden = against.value !== "agent";
    sideField.hidden = against.value === "beside";
  }

  async function submit(event) {
    event.preventDefault();
    setText(problem, "");
    const mine = side.value === "any" ? Math.floor(2 * Math.random()) : Number(side.value);
    const other = { agent: level.value, beside: "human", open: "open" }[against.value];
    const message = {
      type: "new",
      game: game.name,
      variant: options.values() ?? variant.value,
      seats: against.value !== "beside" && mine === 1 ? [other, "human"] : ["human", other],
    };
    if (clock.value) {
      const [seconds, increment] = clock.value.split("+").map(Number);
      message.clock = { seconds, increment };
    }
    if (seed.value !== "") message.seed = Number(seed.value);
    store();
    try {
      await start(message);
    } catch (trouble) {
      setText(problem, trouble.message);
    }
  }

  function store() {
    const chosen = { game: game.name, options: options.values() };
    for (const control of [variant, against, level, side, clock]) chosen[control.name] = control.value;
    remember("new", JSON.stringify(chosen));
  }

  function show() {
    node.scrollIntoView({ block: "start" });
    node.querySelector("input:checked").focus({ preventScroll: true });
  }

  choose(game);
  return { node, show };
}

function entries(pairs) {
  return pairs.map(([value, label]) => el("option", { value }, label));
}
