/* Truth: Choko solved.  A board on which every move shows its value, a review of a game, tables to
   build, and notable positions; endings of Othello, and small boards of Quantum Go.

   The address says what is shown: #/truth/TEXT/PLY, where TEXT is a position or moves,
   #/truth/othello/TEXT or #/truth/small/BOARD/VARIANT/MOVES. */

import { button, clear, el, setText } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { frame } from "../shared/frame.js";
import { lineMoves } from "../shared/line.js";
import { movesCard } from "../shared/moves.js";
import { truthBoard } from "./board.js";
import { endingsPart } from "./endings.js";
import { examplesPart } from "./examples.js";
import { gamePart } from "./game.js";
import { smallPart } from "./small.js";
import { tablesPart } from "./tables.js";
import { beyondWords, movesTable } from "./values.js";

const FIRST = 200; // milliseconds until a slow answer is announced, since opening tables takes a second

function address(text, ply = null) {
  if (!text) return "#/truth";
  return `#/truth/${encodeURIComponent(text)}${ply === null ? "" : `/${ply}`}`;
}

export async function show(root, { id, more, connection, join }) {
  let seen = null; // the lab's answer about the shown position
  let turn = 0;
  let asked = false; // whether the form sent the request: its answer appears above it

  root.append(el("h1", {}, "Choko is solved"), el("p", { class: "note" }, "Looking it up …"));
  const truth = await ask("/api/truth");
  clear(root);
  const value = el("p", { class: "status truth-value", role: "status", "data-testid": "truth-value" });
  const about = el("p", { class: "note", "data-testid": "truth-about" });
  const beyond = el("div", { class: "stack-small", "data-testid": "truth-beyond" });
  const line = el("p", { class: "line", "data-testid": "truth-line" });
  const table = movesTable((name) => play(name));
  const moves = movesCard((ply) => go(seen.text, ply === "last" ? seen.names.length : ply));
  const board = truthBoard((name) => play(name));
  const game = gamePart((ply) => go(seen.text, ply));
  const tables = tablesPart(truth.tables, { connection, join, onBuilt: () => again() });
  const others = { othello: endingsPart(truth.endings), small: smallPart() };
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "truth-problem" });
  const text = el("textarea", {
    name: "text",
    rows: "3",
    spellcheck: false,
    autocapitalize: "off",
    id: "truth-text",
    "aria-describedby": "truth-text-about",
    placeholder: "A1 E1 E3 E4 …   or   br3/rr2r/2br1/4r/5 b 0 0 - 24",
  });

  root.append(
    frame({
      head: [
        el("h1", {}, "Choko is solved"),
        el(
          "p",
          { class: "note" },
          "Blue, who moves first, wins in ",
          el("strong", {}, truth.value),
          " moves of both sides. Play any move to see its value. Further down: ",
          el("a", { href: "#/truth/othello" }, "endings of Othello"),
          " and ",
          el("a", { href: "#/truth/small" }, "small boards of Quantum Go"),
          ".",
        ),
      ],
      tools: [
        el("a", { class: "button", href: "#/rules/choko" }, "Rules"),
        button("Empty board", () => go(""), { testid: "truth-start" }),
      ],
      board: [board.node, board.legend],
      side: [
        el(
          "section",
          { class: "card stack-small", "aria-labelledby": "value-head" },
          el("h2", { id: "value-head" }, "What is true here"),
          value,
          about,
          beyond,
          line,
          table.node,
        ),
        game.node,
        moves.node,
        el(
          "form",
          { class: "card stack-small no-print", "aria-labelledby": "truth-paste", "data-testid": "truth-form", onsubmit: open },
          el("h2", { id: "truth-paste" }, "Your own game or position"),
          el(
            "div",
            { class: "field" },
            el("label", { for: "truth-text" }, "Text"),
            text,
            el("span", { class: "about", id: "truth-text-about" }, "Moves in a row such as C3 B2 C2, a board with its hands, or a record saved here."),
          ),
          problem,
          el(
            "div",
            { class: "row" },
            el("button", { class: "button button-main", type: "submit", "data-testid": "truth-open" }, "Open"),
            button("Open it in Analyse", () => analyse()),
          ),
        ),
      ],
    }),
    el(
      "div",
      { class: "truth-more stack" },
      examplesPart(truth, (one) => {
        go(one.text, one.ply);
        root.querySelector(".lab").scrollIntoView({ block: "start" });
      }),
      firstPlacements(truth),
      tables.node,
      others.othello.node,
      others.small.node,
    ),
  );

  useKeys(moves.keys);

  function go(where, ply = null) {
    location.hash = address(where, ply);
  }

  /** Plays a move from the shown position. */
  function play(name) {
    const names = [...seen.names.slice(0, seen.ply), name];
    go(seen.base ? `${seen.base}; ${names.join(" ")}` : names.join(" "));
  }

  function open(event) {
    event.preventDefault();
    setText(problem, "");
    if (!text.value.trim()) return setText(problem, "There is nothing to open: paste moves or a position.");
    const before = location.hash;
    asked = true;
    go(text.value.trim());
    if (location.hash === before) again();
    return null;
  }

  async function analyse() {
    try {
      const message = { type: "new", game: "choko", text: seen.position, analysis: true, seats: ["human", "human"] };
      const state = await connection.send(message, { quiet: true });
      location.hash = `#/analyse/${state.id}`;
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  async function load({ id: wanted, more: rest }) {
    const mine = ++turn;
    if (Object.hasOwn(others, wanted ?? "")) {
      if (!seen) await load({ id: null, more: [] });
      return others[wanted].open(rest);
    }
    const slow = setTimeout(() => setText(about, "Looking it up …"), FIRST);
    try {
      const query = new URLSearchParams({ text: wanted ?? "", ply: rest[0] ?? "" });
      const found = await ask(`/api/truth/look?${query}`);
      clearTimeout(slow);
      if (mine !== turn) return null;
      const fresh = found.text !== seen?.text;
      seen = found;
      setText(problem, "");
      paint();
      if (asked) value.parentElement.scrollIntoView({ block: "start" });
      if (fresh) await reviewGame(mine);
    } catch (trouble) {
      if (mine !== turn) return null;
      setText(problem, trouble.message);
      text.value = wanted ?? "";
      if (!seen) await load({ id: null, more: [] });
    } finally {
      clearTimeout(slow);
      if (mine === turn) asked = false;
    }
    return null;
  }

  /** Reloads the same position, since tables may have been built. */
  async function again() {
    tables.show((await ask("/api/truth")).tables);
    const [wanted, rest] = seen ? [seen.text, [String(seen.ply)]] : [null, []];
    seen = null;
    await load({ id: wanted, more: rest });
  }

  async function reviewGame(mine) {
    if (!seen.names.length) return game.show(null);
    const found = await ask(`/api/truth/game?${new URLSearchParams({ text: seen.text })}`);
    if (mine === turn) game.show(found, seen.ply);
    return null;
  }

  function paint() {
    const { known } = seen;
    board.show(seen);
    game.at(seen.ply);
    setText(value, headline(seen));
    value.dataset.who = known ? String(known.value.who) : "";
    setText(about, explanation(seen));
    clear(beyond, seen.beyond && beyondWords(seen, tables, join, analyse));
    table.show(known?.moves ?? [], seen.view.turn);
    showLine(known?.line ?? []);
    moves.show({ ply: seen.ply, of: seen.names.length, moves: seen.names });
    document.title = `${known ? known.value.words : "Choko"} – Truth – Playproof`;
  }

  function showLine(names) {
    line.hidden = !names.length;
    clear(
      line,
      el("strong", {}, "Best line "),
      lineMoves(names, (count) => follow(names, count)),
    );
  }

  /** Makes the line the game, so that one can step through it. */
  function follow(names, count) {
    const whole = [...seen.names.slice(0, seen.ply), ...names];
    go(seen.base ? `${seen.base}; ${whole.join(" ")}` : whole.join(" "), seen.ply + count);
  }

  await load({ id, more });
  const leave = () => tables.stop();
  leave.go = load;
  const part = Object.hasOwn(others, id ?? "") ? others[id].node : null;
  leave.at = part?.querySelector(".walk:not([hidden])") ?? part;
  return leave;
}

function headline({ known, over, view }) {
  if (over) return view.over;
  if (!known) return `${view.turn.name} to move. Not known here.`;
  const words = known.value.words;
  const unit = known.value.in === null ? "" : known.value.in === 1 ? " move" : " moves";
  return `${view.turn.name} to move: ${known.value.who === 0 ? "a draw" : `${words}${unit}`}.`;
}

function explanation({ known, over, left }) {
  if (over || !known) return "";
  const { who, in: actions } = known.value;
  const parts = [];
  if (who !== 0 && actions !== null) parts.push("Moves of both sides count; the winner hurries and the loser holds out.");
  if (who === 0) parts.push("Neither side can force a win.");
  if (left !== null && actions !== null && actions > left)
    parts.push(`The game ends as a draw ${left} moves from here, so in this game it is a draw.`);
  if (known.source === "shipped") parts.push("Known from the full solve that comes with Playproof.");
  return parts.join(" ");
}

function firstPlacements(truth) {
  return el(
    "section",
    { class: "card stack-small", "aria-labelledby": "facts-head" },
    el("h2", { id: "facts-head" }, "Results of the solve"),
    el("p", {}, truth.first_words),
    el("ul", { class: "facts" }, truth.facts.map((fact) => el("li", {}, fact))),
    el("p", { class: "note" }, "The full report, with more tables: ", el("code", { class: "mono" }, truth.command)),
  );
}
