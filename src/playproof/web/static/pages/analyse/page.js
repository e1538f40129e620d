/* Analyse: step through a game, analyse its positions, and try variations. */

import { button, choice, clear, el, field, setText } from "../../dom.js";
import { recall, recallData, remember } from "../../storage.js";
import { useKeys } from "../../keys.js";
import { frame } from "../shared/frame.js";
import { dim, movesCard } from "../shared/moves.js";
import { saveMenu } from "../shared/save.js";
import { arrowsOf, heatOf, table } from "../shared/table.js";
import { ending, gameOf, goal, sides } from "../shared/words.js";
import { EXAMPLES } from "./examples.js";
import { pasteCard } from "./paste.js";
import { lineOf, movesTable, otherLines, valueBar } from "./thoughts.js";
import { variationsCard } from "./variations.js";

const BUDGETS = [
  ["1", "1 second"],
  ["3", "3 seconds"],
  ["10", "10 seconds"],
  ["30", "30 seconds"],
];

const LINES = [
  ["1", "Best line"],
  ["3", "3 lines"],
  ["5", "5 lines"],
  ["8", "8 lines"],
];

const WORDS = [
  "Chances: the probability that the first side wins, counting a draw as half.",
  "Value: the result if it is certain. Otherwise the points by which the first side is ahead, or a number from −1 (lost) to 1 (won) for a search that plays games out.",
  "Visits: how often the search tried a move. Prior: the probability that a network gave the move before the search.",
  "Alpha-beta examines every reply to every move, as deep as the time allows. Tree search plays many imagined games and looks closer where they go well. A network has learned from games what good moves look like.",
  "Best line: what would happen if both sides played the best moves that the computer can find. Further lines start with the next best moves; the figure before a line is its value for the first side. With more lines each gets less time.",
];

export async function show(root, { id, connection, catalog }) {
  if (!id) return openDefaultGame(root, connection);
  const view = build(root, { connection, catalog });
  try {
    await connection.send({ type: "join", id }, { quiet: true });
  } catch {
    view.close();
    if (recall("analysis") === id) remember("analysis", null);
    await openDefaultGame(clear(root), connection);
    return null;
  }
  remember("analysis", id);
  return view.close;
}

/** The previous analysis, or an example game. */
async function openDefaultGame(root, connection) {
  root.append(el("h1", {}, "Analyse"), el("p", { class: "note" }, "Setting up the board …"));
  const last = recall("analysis");
  if (last) return location.replace(`#/analyse/${last}`);
  const [{ game, text }] = EXAMPLES;
  const state = await open(connection, { game, text });
  return location.replace(`#/analyse/${state.id}`);
}

/** Starts an analysis of a text; an example comes with a line about itself. */
async function open(connection, { game, text }) {
  const message = { type: "new", game, text, analysis: true, seats: ["human", "human"] };
  const state = await connection.send(message, { quiet: true });
  const example = EXAMPLES.find((one) => one.text === text);
  remember("example", example ? JSON.stringify([state.id, example.about]) : null);
  return state;
}

function aboutExample(id) {
  const [known, about] = recallData("example", []);
  return known === id ? about : null;
}

function build(root, { connection, catalog }) {
  const title = el("h1", { "data-testid": "title" }, "Analyse");
  const about = el("p", { class: "note", "data-testid": "about" });
  const source = el("p", { class: "note", "data-testid": "source" });
  const rules = el("a", { class: "button", "data-testid": "rules" }, "Rules");
  const ended = el("p", { class: "note", role: "status", "data-testid": "status" });
  const bar = valueBar(catalog);
  const best = lineOf((actions) => follow(actions));
  const others = otherLines((actions) => follow(actions));
  const top = movesTable((clicks) => at.play(clicks));
  const said = el("p", { class: "note said", "data-testid": "said" });
  const truth = el("p", { class: "truth", "data-testid": "truth" });
  const agent = choice([], null, () => again(), { name: "analyst", "data-testid": "analyst" });
  const budget = choice(BUDGETS, recall("budget", "3"), () => remember("budget", budget.value), {
    name: "budget",
    "data-testid": "budget",
  });
  const count = choice(LINES, recall("lines", "3"), () => setLines(), { name: "lines", "data-testid": "lines-count" });
  const always = tick("always", () => setAlways());
  const heat = tick("heat", () => setHeat());
  const run = button("Think", () => toggle(), { main: true, testid: "think" });
  const undo = button("Undo", () => change("undo"), { testid: "undo" });
  const redo = button("Redo", () => change("redo"), { testid: "redo" });
  const moves = movesCard((ply) => at.send("goto", { ply }));
  const lines = variationsCard((line) => at.send("line", { line }));
  const save = saveMenu();
  const memory = new Map(); // the analysis of each position: key -> thought
  let thinking = null; // the key of the position being analysed
  let following = false;

  const at = table(connection, { onState: take });
  const paste = pasteCard(catalog, async (what) => {
    const state = await open(connection, what);
    location.hash = `#/analyse/${state.id}`;
  });

  root.append(
    frame({
      head: [title, about, source],
      tools: [rules, save.node],
      board: [at.board, bar.node, ended, el("div", { class: "row no-print" }, undo, redo)],
      side: [
        el(
          "section",
          { class: "card stack-small", "aria-labelledby": "think-head" },
          el("div", { class: "row row-apart" }, el("h2", { id: "think-head" }, "What the computer thinks"), run),
          said,
          truth,
          best.node,
          others.node,
          top.node,
          el("details", { class: "no-print" }, el("summary", {}, "What these terms mean"), WORDS.map((text) => el("p", { class: "note" }, text))),
          el("div", { class: "two no-print" }, field("Analyst", agent), field("Time to think", budget), field("Lines", count)),
          el(
            "div",
            { class: "row no-print" },
            el("label", { class: "check" }, always, "Analyse each position"),
            el("label", { class: "check" }, heat, "Show it on the board"),
          ),
        ),
        moves.node,
        lines.node,
      ],
      more: paste.node,
    }),
  );
  useKeys({ ...moves.keys, h: toggle, u: () => change("undo"), r: () => change("redo") });

  /** The key of a position of this game and its analyst, made from the moves that lead there. */
  const key = (state) => `${state.moves.slice(0, state.ply).join(" ")}|${agent.value}|${count.value}`;

  function take(state) {
    const game = gameOf(catalog, state.game);
    if (agent.dataset.game !== state.game) fillAgents(game);
    setText(title, `Analyse ${state.title}`);
    setText(about, aboutExample(state.id) ?? goal(catalog, state));
    setText(source, sourceText(state.source));
    source.hidden = !source.textContent;
    rules.href = `#/rules/${state.game}`;
    setText(rules, `Rules of ${game.title}`);
    document.title = `${state.title}, analysed – Playproof`;
    at.board.disabled = !state.can.move;
    dim(undo, !state.can.undo);
    dim(redo, !state.can.redo);
    moves.show(state);
    lines.show(state);
    save.show(state);
    setText(ended, state.view.over ?? (state.ply === state.of ? ending(catalog, state) : ""));
    showThought(memory.get(key(state)) ?? null);
    dim(run, Boolean(state.view.over));
    if (thinking !== null && thinking !== key(state)) stop();
    if (always.checked && !following) think();
  }

  /** Undoes the last move of the line, or redoes it. */
  function change(what) {
    if (at.state()?.can[what]) at.send(what);
  }

  function fillAgents(game) {
    agent.dataset.game = game.name;
    clear(agent, analysts(game).map(([spec, label]) => el("option", { value: spec }, label)));
  }

  /** Analyses the shown position, unless that was done or the game is over there. */
  async function think() {
    const state = at.state();
    const mine = key(state);
    if (state.view.over || thinking === mine || memory.get(mine)?.done) return;
    thinking = mine;
    label();
    const hear = (thought) => {
      memory.set(mine, { ...thought, done: false });
      if (key(at.state()) === mine) showThought(thought);
    };
    const seconds = Number(budget.value);
    const who = { agent: timed(agent.value, seconds), budget: { seconds }, lines: Number(count.value) };
    const message = { type: "think", ver: state.ver, ply: state.ply, ...who };
    try {
      const thought = await connection.send(message, { onThink: hear, quiet: true });
      // Interrupted by stepping on: not final if the position is shown again.
      memory.set(mine, thinking === mine ? thought : { ...thought, done: false });
    } catch (trouble) {
      // An analysis that was stopped by stepping on is no error.
      if (thinking === mine) setText(said, trouble.message);
    }
    if (thinking === mine) {
      thinking = null;
      label();
    }
  }

  function stop() {
    thinking = null;
    label();
    at.send("stop");
  }

  function toggle() {
    if (thinking !== null) return at.send("stop");
    memory.delete(key(at.state()));
    return think();
  }

  function again() {
    take(at.state());
  }

  function label() {
    setText(run, thinking === null ? "Think" : "Stop");
  }

  function showThought(thought) {
    const state = at.state();
    bar.show(state, thought);
    best.show(thought?.pv ?? [], thought?.actions ?? []);
    others.show(thought, Number(count.value));
    top.show(thought, sides(catalog, state)[0]);
    setText(said, thoughtText(thought));
    setText(truth, thought?.truth ? `Certain: ${thought.truth}` : "");
    paint(thought);
  }

  function paint(thought) {
    at.board.heat = heat.checked && thought ? heatOf(thought.heat) : null;
    at.board.arrows = heat.checked && thought ? arrowsOf(thought.top ?? []) : null;
  }

  function setHeat() {
    remember("heat", heat.checked ? null : "off");
    paint(memory.get(key(at.state())) ?? null);
  }

  function setLines() {
    remember("lines", count.value);
    take(at.state());
  }

  function setAlways() {
    remember("always", always.checked ? null : "off");
    if (always.checked) think();
  }

  /** Plays a line on the board, one move after the other, as a variation. */
  async function follow(actions) {
    following = true;
    for (const action of actions) {
      if (!(await at.play(action))) break;
    }
    following = false;
    if (always.checked) think();
  }

  return { close: () => at.stop() };
}

/** A checkbox that is on unless it was turned off in this browser. */
function tick(name, onchange) {
  return el("input", { type: "checkbox", checked: recall(name) !== "off", "data-testid": name, onchange });
}

const TIME = /, \d+ seconds?$/;

/** Analysts as [spec, label]: those that differ by their time alone are one, since the
    page has a control of its own for that. */
function analysts(game) {
  const found = new Map();
  for (const { label, spec } of game.analysts) {
    const plain = label.replace(TIME, "");
    if (!found.has(plain)) found.set(plain, spec);
  }
  return [...found].map(([label, spec]) => [spec, label]);
}

/** An analyst's spec with another time per position. */
function timed(spec, seconds) {
  return spec.replace(/\btime=[\d.]+/, `time=${seconds}`);
}

/** The players of the game, and the parts of its text that are not shown. */
function sourceText(source) {
  if (!source) return "";
  const { players, result, event, date, left_out: left } = source;
  const names = players.some(Boolean) ? players.map((name) => name || "?").join(" – ") : "";
  const about = [names, result === "*" ? "" : result, event, date].filter(Boolean).join(", ");
  const without = left.length ? `Not shown here: ${left.join(", ")}.` : "";
  return [about && `${about}.`, without].filter(Boolean).join(" ");
}

function thoughtText(thought) {
  if (!thought) return "Not analysed yet.";
  const count = (number, what) => (number ? `${number.toLocaleString("en")} ${what}` : "");
  const deep = /^(alphabeta|minimax)/.test(thought.agent ?? "");
  const parts = deep
    ? [count(thought.sims, "moves deep"), count(thought.nodes, "positions")]
    : [count(thought.sims, "games tried")];
  if (thought.seconds) parts.push(`${thought.seconds.toFixed(1)} s`);
  const text = parts.filter(Boolean).join(", ") || "The network alone, without search";
  const known = thought.words ? `, ${thought.words}` : thought.proven ? ", certain" : "";
  return `${text}${known}${thought.done ? "." : " …"}`;
}
