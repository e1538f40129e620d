/* The latest net of a run at play against an opponent, in an ordinary game of the lab. */

import "../../board/board.js";
import { button, choice, el, field, listen, setText } from "../../dom.js";
import { recallData, remember } from "../../storage.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { ending, sides } from "../shared/words.js";

const WAYS = [
  ["glance", "At a glance: the net's first choice"],
  ["ahead", "Looking ahead: 100 positions a move"],
];
const MINE = "watched"; // key of what this browser remembers: {run: game}

/** `chosen(game)` is called with the game that is watched, for the URL. */
export function watchNet(run, { connection, catalog, chosen }) {
  let now = run;
  let game = null; // the id of the game that is watched
  const board = el("play-board", { still: true, "data-testid": "watch-board" });
  const status = el("p", { class: "status", role: "status", "data-testid": "watch-status" });
  const players = el("p", { "data-testid": "watch-players" });
  const way = choice(WAYS, "glance", null, { name: "way", "data-testid": "watch-way" });
  const against = choice(opponents(run), "random", null, { name: "against", "data-testid": "watch-against" });
  const side = choice(
    [
      ["0", "Plays first"],
      ["1", "Plays second"],
    ],
    "0",
    null,
    { name: "side" },
  );
  const start = button("Watch a game", () => begin(["net", against.value]), { main: true, testid: "watch-start" });
  const play = button("Play against it yourself", () => begin(["net", "human"]), { testid: "watch-play" });
  const stage = el("div", { class: "watch-board stack-small", hidden: true }, players, board, status);
  const note = el("p", { class: "note" });
  const node = el(
    "section",
    { class: "card stack", "aria-labelledby": "watch-head", "data-testid": "watch" },
    el("h2", { id: "watch-head" }, "Watch the net play"),
    note,
    el(
      "div",
      { class: "watch" },
      el(
        "div",
        { class: "stack no-print" },
        field("How it plays", way),
        el("div", { class: "two" }, field("Against", against), field("The net", side)),
        el("div", { class: "row" }, start, play),
      ),
      stage,
    ),
  );

  const unlisten = listen(connection, { state: (event) => event.detail.id === game && take(event.detail) });

  /** Updates the run: it has a newer net, and more kept ones to play against. */
  function show(next) {
    now = next;
    const selected = against.value;
    const choices = opponents(now);
    if (against.childElementCount !== choices.length) {
      against.replaceChildren(...choices.map(([value, label]) => el("option", { value }, label)));
      against.value = choices.some(([value]) => value === selected) ? selected : "random";
    }
    const there = now.net;
    for (const knob of [start, play]) knob.disabled = !there;
    setText(
      note,
      there
        ? `The net after ${now.iterations} iterations. Each game uses the latest net.`
        : "There is no net yet: the first one is saved after the first iteration.",
    );
  }

  function spec(which) {
    const name = `run/${now.id}`;
    if (which === "net" || which === "itself") return way.value === "glance" ? `net:${name}` : `mcts:net=${name},simulations=100`;
    if (which.startsWith("kept-")) return spec("net").replace(name, `${name}/${which.slice(5)}`);
    return which;
  }

  async function begin(who) {
    const seats = who.map(spec);
    if (side.value === "1") seats.reverse();
    const message = { type: "new", game: now.game.split(":")[0], variant: now.options, seats };
    try {
      const state = await connection.send(message, { quiet: true });
      if (who.includes("human")) return void (location.hash = `#/play/${state.id}`);
      forget(game ?? recallData(MINE, {})[now.id]);
      watch(state);
    } catch (trouble) {
      notify(trouble.message);
    }
    return null;
  }

  function watch(state) {
    game = state.id;
    remember(MINE, JSON.stringify({ ...recallData(MINE, {}), [now.id]: game }));
    chosen(game);
    take(state);
    requestAnimationFrame(() => stage.scrollIntoView({ block: "nearest" })); // when the board has its size
  }

  /** Deletes the previous game: one game for each run is enough. */
  function forget(old) {
    if (old) ask(`/api/games/${old}/delete`, {}).catch(() => {});
  }

  /** Continues watching a game after the page was reloaded. */
  async function join(id) {
    try {
      game = id;
      take(await connection.send({ type: "join", id }, { quiet: true }));
    } catch {
      game = null; // it was deleted
      chosen(null);
    }
  }

  function take(state) {
    stage.hidden = false;
    // A spectator does not need the marks of legal moves.
    board.view = { ...state.view, marks: state.view.marks.filter((mark) => mark.k === "ring") };
    const both = sides(catalog, state);
    setText(players, both.map((side, i) => `${side.name}: ${seatWords(state.seats[i])}`).join(" · "));
    const over = state.result !== "*";
    setText(status, over ? ending(catalog, state) : `${state.view.turn.name} to move, ${state.of === 1 ? "1 move" : `${state.of} moves`} so far.`);
  }

  function seatWords(seat) {
    const match = /run\/[^,/]+(?:\/(\d+))?/.exec(seat.spec ?? "");
    if (!match) return seat.name;
    return match[1] === undefined ? "the net" : `the net of iteration ${match[1]}`;
  }

  show(run);
  return { node, show, join, stop: unlisten };
}

function opponents(run) {
  const kept = run.kept.filter((iteration) => iteration < run.iterations);
  return [
    ["random", "A random player"],
    ["itself", "Itself"],
    ...kept.map((iteration) => [`kept-${iteration}`, iteration ? `Itself at iteration ${iteration}` : "Itself, untrained"]),
  ];
}
