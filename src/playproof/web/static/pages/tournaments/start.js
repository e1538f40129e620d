/* The form that starts a tournament: game, players, how many games, from which openings. */

import { choice, clear, el, field, setText } from "../../dom.js";
import { ask } from "../../connection.js";
import { gameOf } from "../shared/words.js";

const MOST_PLAYERS = 6;
const CHOSEN = 3; // players that are selected at first
const PLIES = { othello: 6, choko: 4, "quantum-go": 2, chess: 6, go: 4 };

/** `runs` are those of the Train page: their nets can play too. */
export function startForm(catalog, { owner, workers, runs = [] }) {
  let game = catalog.games[0];
  const kind = choice(
    catalog.games.map((one) => [one.name, one.title]),
    game.name,
    () => choose(gameOf(catalog, kind.value)),
    { name: "game", "data-testid": "t-game" },
  );
  const variant = choice([], null, () => offerNets(), { name: "variant", "data-testid": "t-variant" });
  const players = el("div", { class: "stack-small" });
  const nets = el("div", { class: "stack-small", "data-testid": "t-nets" });
  const others = el("textarea", {
    name: "others",
    rows: "2",
    spellcheck: false,
    autocapitalize: "off",
    class: "few-lines",
    placeholder: "mcts:simulations=300",
    oninput: () => updateSummary(),
    "data-testid": "t-others",
  });
  const games = whole("games", "20", { min: "2", max: "2000", step: "2" });
  const plies = whole("plies", "6", { min: "0", max: "40" });
  const seed = whole("seed", "1", { min: "0", max: "2147483647" });
  const cores = whole("workers", "1", { min: "1", max: String(workers) });
  const count = el("p", { class: "note", role: "status", "data-testid": "t-count" });
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "t-problem" });
  const go = el("button", { class: "button button-main", type: "submit", "data-testid": "t-start" }, "Start the tournament");
  const node = el(
    "form",
    { class: "card stack", "aria-labelledby": "t-head", onsubmit: submit, "data-testid": "t-form" },
    el("h2", { id: "t-head" }, "Start a tournament"),
    el("div", { class: "two" }, field("Game", kind), field("Rules and board", variant)),
    el("fieldset", { class: "field" }, el("legend", {}, `Players, 2 to ${MOST_PLAYERS}`), players, nets),
    field("Other players", others, "One per line, as on the command line: mcts:simulations=300 is a tree search with 300 simulations."),
    el(
      "div",
      { class: "two" },
      field("Games per pair", games, "An even number: sides are swapped."),
      field("Opening moves", plies, "Random moves; each opening is roughly even, and both players get each side of it."),
    ),
    el(
      "details",
      {},
      el("summary", {}, "More"),
      el("div", { class: "two" }, field("Seed", seed, "The same number repeats the tournament."), field("Games at once", cores, `This machine has ${workers} cores.`)),
    ),
    count,
    problem,
    owner ? el("div", { class: "row" }, go) : el("p", { class: "note" }, "Only the owner of the lab can start a tournament. You can watch."),
  );

  function whole(name, value, given) {
    return el("input", { name, type: "number", step: "1", required: true, value, oninput: () => updateSummary(), "data-testid": `t-${name}`, ...given });
  }

  function choose(next) {
    game = next;
    clear(variant, game.variants.map((one) => el("option", { value: one.id }, one.label)));
    plies.value = String(PLIES[game.name] ?? 4);
    clear(
      players,
      game.opponents.map((one, i) => box(one.spec, one.level, one.about, i < CHOSEN)),
    );
    offerNets();
  }

  /** Nets that were trained here on this very board. */
  function offerNets() {
    const { options } = game.variants.find((one) => one.id === variant.value);
    const wanted = parts([game.name, ...Object.entries(options).map(([name, value]) => `${name}=${value}`)]);
    const fitting = runs.filter((run) => run.net && parts(run.game.split(/[:,]/)) === wanted);
    clear(nets, fitting.map((run) => box(`net:run/${run.id}`, run.id, `trained here, ${run.iterations} iterations`)));
    updateSummary();
  }

  function box(spec, name, about, checked = false) {
    return el(
      "label",
      { class: "check" },
      el("input", { type: "checkbox", name: "player", value: spec, checked, onchange: () => updateSummary(), "data-testid": `t-player-${spec}` }),
      el("span", {}, el("strong", {}, name), ` ${about}`),
    );
  }

  function chosen() {
    const ticked = [...players.querySelectorAll("input:checked"), ...nets.querySelectorAll("input:checked")].map((box) => box.value);
    return [...ticked, ...others.value.split("\n").map((line) => line.trim()).filter(Boolean)];
  }

  function updateSummary() {
    const many = chosen().length;
    const each = Number(games.value) || 0;
    const right = many >= 2 && many <= MOST_PLAYERS;
    const all = (many * (many - 1) * each) / 2;
    setText(count, right ? `${many} players, ${all.toLocaleString("en")} games in all.` : `Choose 2 to ${MOST_PLAYERS} players.`);
  }

  async function submit(event) {
    event.preventDefault();
    setText(problem, "");
    go.disabled = true;
    try {
      const answer = await ask("/api/tournaments", {
        game: game.name,
        variant: variant.value,
        players: chosen(),
        games: Number(games.value),
        plies: Number(plies.value),
        seed: Number(seed.value),
        workers: Number(cores.value),
      });
      location.hash = `#/tournaments/${answer.tournament}`;
    } catch (trouble) {
      setText(problem, trouble.message);
    } finally {
      go.disabled = false;
    }
  }

  choose(game);
  return { node };
}

/** A game's spec with its options sorted, so that equal games have equal text. */
function parts(list) {
  return [...list].sort().join();
}
