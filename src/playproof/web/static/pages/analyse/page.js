/* Analyse: a game to walk through, someone who thinks about every position, variations. */

import { button, choice, clear, el, field, say } from "../../dom.js";
import { recall, recallData, remember } from "../../keep.js";
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
  "Chances: how likely the first side is to win, a draw counting as half.",
  "Value: how the game ends, where that is certain; else by how many points that side is ahead, or, for a search that plays games out, from −1 (lost) to 1 (won).",
  "Visits: how often a move was tried. Prior: what a network thought of it at first sight.",
  "Alpha-beta looks at every answer to every move, as deep as the time allows. Tree search plays many games in its head and looks closer where they go well. A network has learned from games what good moves look like.",
  "Best line: what would happen if both sides played as well as the computer can see. Further lines begin with the next best moves; the first figure is what the first side may expect from them. More lines take time from each other.",
];

export async function show(root, { id, talk, catalog }) {
  if (!id) return openSomething(root, talk);
  const view = build(root, { talk, catalog });
  try {
    await talk.send({ type: "join", id }, { quiet: true });
  } catch {
    view.close();
    if (recall("analysis") === id) remember("analysis", null);
    await openSomething(clear(root), talk);
    return null;
  }
  remember("analysis", id);
  return view.close;
}

/** The analysis of last time, or a real game. */
async function openSomething(root, talk) {
  root.append(el("h1", {}, "Analyse"), el("p", { class: "note" }, "Setting up the board …"));
  const last = recall("analysis");
  if (last) return location.replace(`#/analyse/${last}`);
  const [{ game, text }] = EXAMPLES;
  const state = await open(talk, { game, text });
  return location.replace(`#/analyse/${state.id}`);
}

/** Starts an analysis of a text; a text that is an example brings a line about itself. */
async function open(talk, { game, text }) {
  const message = { type: "new", game, text, analysis: true, seats: ["human", "human"] };
  const state = await talk.send(message, { quiet: true });
  const example = EXAMPLES.find((one) => one.text === text);
  remember("example", example ? JSON.stringify([state.id, example.about]) : null);
  return state;
}

function aboutExample(id) {
  const [known, about] = recallData("example", []);
  return known === id ? about : null;
}

function build(root, { talk, catalog }) {
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
  const memory = new Map(); // what was thought about each position: key -> thought
  let thinking = null; // the key of the position that is being thought about
  let following = false;

  const at = table(talk, { onState: take });
  const paste = pasteCard(catalog, async (what) => {
    const state = await open(talk, what);
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
          el("details", { class: "no-print" }, el("summary", {}, "What these words mean"), WORDS.map((text) => el("p", { class: "note" }, text))),
          el("div", { class: "two no-print" }, field("Analyst", agent), field("Time to think", budget), field("Lines", count)),
          el(
            "div",
            { class: "row no-print" },
            el("label", { class: "check" }, always, "Think about each position"),
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

  /** Names a position of this game and who thinks about it: the way to it tells them apart. */
  const key = (state) => `${state.moves.slice(0, state.ply).join(" ")}|${agent.value}|${count.value}`;

  function take(state) {
    const game = gameOf(catalog, state.game);
    if (agent.dataset.game !== state.game) fillAgents(game);
    say(title, `Analyse ${state.title}`);
    say(about, aboutExample(state.id) ?? goal(catalog, state));
    say(source, sourceText(state.source));
    source.hidden = !source.textContent;
    rules.href = `#/rules/${state.game}`;
    say(rules, `Rules of ${game.title}`);
    document.title = `${state.title}, analysed – Playproof`;
    at.board.disabled = !state.can.move;
    dim(undo, !state.can.undo);
    dim(redo, !state.can.redo);
    moves.show(state);
    lines.show(state);
    save.show(state);
    say(ended, state.view.over ?? (state.ply === state.of ? ending(catalog, state) : ""));
    showThought(memory.get(key(state)) ?? null);
    dim(run, Boolean(state.view.over));
    if (thinking !== null && thinking !== key(state)) stop();
    if (always.checked && !following) think();
  }

  /** Takes the last move of the line back, or plays it again. */
  function change(what) {
    if (at.state()?.can[what]) at.send(what);
  }

  function fillAgents(game) {
    agent.dataset.game = game.name;
    clear(agent, analysts(game).map(([spec, label]) => el("option", { value: spec }, label)));
  }

  /** Thinks about the position that is shown, unless that was done or the game is over there. */
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
      const thought = await talk.send(message, { onThink: hear, quiet: true });
      // Cut short because we went on: not the last word, should we come back.
      memory.set(mine, thinking === mine ? thought : { ...thought, done: false });
    } catch (trouble) {
      // What was given up because we went on needs no word.
      if (thinking === mine) say(said, trouble.message);
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
    say(run, thinking === null ? "Think" : "Stop");
  }

  function showThought(thought) {
    const state = at.state();
    bar.show(state, thought);
    best.show(thought?.pv ?? [], thought?.actions ?? []);
    others.show(thought, Number(count.value));
    top.show(thought, sides(catalog, state)[0]);
    say(said, thoughtText(thought));
    say(truth, thought?.truth ? `Known for certain: ${thought.truth}` : "");
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

/** A switch that is on until it was turned off here once. */
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

/** An analyst's spec with another time for a position. */
function timed(spec, seconds) {
  return spec.replace(/\btime=[\d.]+/, `time=${seconds}`);
}

/** Who played the game, and what its text holds that is not shown here. */
function sourceText(source) {
  if (!source) return "";
  const { players, result, event, date, left_out: left } = source;
  const names = players.some(Boolean) ? players.map((name) => name || "?").join(" – ") : "";
  const about = [names, result === "*" ? "" : result, event, date].filter(Boolean).join(", ");
  const without = left.length ? `Not shown here: ${left.join(", ")}.` : "";
  return [about && `${about}.`, without].filter(Boolean).join(" ");
}

function thoughtText(thought) {
  if (!thought) return "Not thought about yet.";
  const count = (number, what) => (number ? `${number.toLocaleString("en")} ${what}` : "");
  const deep = /^(alphabeta|minimax)/.test(thought.agent ?? "");
  const parts = deep
    ? [count(thought.sims, "moves deep"), count(thought.nodes, "positions")]
    : [count(thought.sims, "games tried")];
  if (thought.seconds) parts.push(`${thought.seconds.toFixed(1)} s`);
  const text = parts.filter(Boolean).join(", ") || "By intuition alone";
  const known = thought.words ? `, ${thought.words}` : thought.proven ? ", certain" : "";
  return `${text}${known}${thought.done ? "." : " …"}`;
}
