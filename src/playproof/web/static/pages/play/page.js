/* Play: a board that is ready for a move, and the controls of a game beside it. */

import { button, clear, el, setText } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { confirmed, notify } from "../../notices.js";
import { frame } from "../shared/frame.js";
import { resumeOrStart } from "../shared/last_game.js";
import { dim, movesCard } from "../shared/moves.js";
import { saveMenu } from "../shared/save.js";
import { seatsList } from "../shared/seats.js";
import { hintOf, table } from "../shared/table.js";
import { ending, gameOf, goal, percent, sides } from "../shared/words.js";
import { inviteCard } from "./invite.js";
import { newGameForm } from "./newgame.js";

export async function show(root, { id, connection, catalog, join }) {
  if (!id) return openDefaultGame(root, connection, catalog);
  const view = build(root, { connection, catalog, join });
  try {
    await connection.send({ type: "join", id }, { quiet: true });
  } catch (trouble) {
    view.close();
    clear(
      root,
      el("h1", {}, "This game is not here"),
      el("p", { class: "problem", role: "alert" }, trouble.message),
      newGameForm(catalog, (message) => begin(connection, message)).node,
    );
    return null;
  }
  return view.close;
}

/** The last unfinished game, or a new one. */
async function openDefaultGame(root, connection, catalog) {
  root.append(el("h1", {}, "Play"), el("p", { class: "note" }, "Setting up the board …"));
  location.replace(`#/play/${await resumeOrStart(connection, catalog)}`);
  return null;
}

async function begin(connection, message) {
  const state = await connection.send(message, { quiet: true });
  location.hash = `#/play/${state.id}`;
}

function build(root, { connection, catalog, join }) {
  const title = el("h1", { "data-testid": "title" }, "Play");
  const about = el("p", { class: "note", "data-testid": "about" });
  const rules = el("a", { class: "button", "data-testid": "rules" }, "Rules");
  const other = button("New game", () => form.show(), { class: "to-form", testid: "to-form" });
  const status = el("p", { class: "status", role: "status", "data-testid": "status" });
  const hintLine = el("p", { class: "hint-line", role: "status", "data-testid": "hint-line" });
  const seats = seatsList(catalog);
  const moves = movesCard((ply) => at.send("goto", { ply }));
  const save = saveMenu();
  const invite = inviteCard(join, (seat) => at.send("join", { id: at.state().id, seat }));
  const buttons = {
    hint: button("Hint", () => hint(), { testid: "hint" }),
    undo: button("Undo", () => undo(), { testid: "undo" }),
    redo: button("Redo", () => redo(), { testid: "redo" }),
    resign: button("Resign", () => resign(), { testid: "resign" }),
    follow: button("Back to the game", () => at.send("goto", { ply: "last" }), { testid: "follow", main: true }),
    again: button("Play again", () => again(), { testid: "again", main: true }),
    analyse: button("Analyse", () => analyse(), { testid: "analyse" }),
    truth: button("Is it won?", () => showExactValue(), { testid: "to-truth", hidden: true }),
  };
  let hinting = false;

  const at = table(connection, { onState: take });
  const form = newGameForm(catalog, (message) => begin(connection, message));

  root.append(
    frame({
      head: [title, about],
      tools: [rules, other],
      board: at.board,
      side: [
        el(
          "section",
          { class: "card stack-small", "aria-labelledby": "game-head" },
          el("h2", { id: "game-head" }, "This game"),
          seats.node,
          seats.counts,
          status,
          el("div", { class: "row no-print" }, buttons.follow, buttons.again),
          el("div", { class: "actions no-print" }, buttons.hint, buttons.undo, buttons.redo, buttons.resign),
          hintLine,
          el("div", { class: "row no-print" }, save.node, buttons.analyse, buttons.truth),
        ),
        invite.node,
        moves.node,
      ],
      more: form.node,
    }),
  );
  useKeys({ ...moves.keys, h: hint, u: undo, r: redo });

  function take(state) {
    const game = gameOf(catalog, state.game);
    setText(title, `Play ${state.title}`);
    setText(about, goal(catalog, state));
    rules.href = `#/rules/${state.game}`;
    setText(rules, `Rules of ${game.title}`);
    document.title = `${state.title} – Playproof`;
    at.board.disabled = !state.can.move;
    seats.show(state);
    moves.show(state);
    save.show(state);
    invite.show(state);
    const over = state.result !== "*";
    const last = state.ply === state.of;
    setText(status, statusText(state));
    status.classList.toggle("status-over", over);
    buttons.follow.hidden = last;
    buttons.again.hidden = !over;
    buttons.truth.hidden = !isSolved(state);
    dim(buttons.undo, !state.can.undo);
    dim(buttons.redo, !state.can.redo);
    dim(buttons.resign, !state.can.resign);
    dim(buttons.hint, !(last && state.can.move) && !hinting);
    if (!last || !state.can.move) setText(hintLine, "");
    hintLine.hidden = over || !state.seats.some((seat) => seat.you);
  }

  function statusText(state) {
    const end = ending(catalog, state);
    if (state.ply < state.of) return `You are looking at an earlier position.${end ? ` ${end}` : ""}`;
    if (end) return end;
    const turn = state.view.turn;
    if (state.seats.some((seat) => seat.kind === "open")) return "Waiting for a second player.";
    if (state.can.move) return bothMine(state) ? `${turn.name}'s turn.` : "Your turn.";
    if (turn.who === "agent" || state.thinking) return "The computer is thinking.";
    return `Waiting for ${turn.name}.`;
  }

  async function hint() {
    const state = at.state();
    if (!state || hinting || state.ply < state.of || !state.can.move) return;
    hinting = true;
    setText(hintLine, "Looking for a good move …");
    // A hint for an earlier position is dropped silently.
    const thought = await connection.send({ type: "hint", ver: state.ver }, { quiet: true }).catch(() => null);
    hinting = false;
    if (thought) showHint(thought);
    else setText(hintLine, "");
  }

  function showHint(thought) {
    const state = at.state();
    if (thought.ver !== state.ver || state.ply < state.of) return;
    const best = thought.top?.[0];
    if (!best || !thought.done) return;
    Object.assign(at.board, hintOf(best));
    if (at.board.getBoundingClientRect().top < 0) at.board.scrollIntoView({ block: "start" }); // on a phone it is above
    const [first] = sides(catalog, state);
    const known = typeof thought.share === "number";
    const chances = known ? ` ${first.name}'s chances: ${percent(thought.share)}.` : "";
    const certain = thought.words ? ` ${thought.words[0].toUpperCase()}${thought.words.slice(1)}.` : "";
    setText(hintLine, `Hint: ${best.n}.${certain || chances}`);
  }

  function undo() {
    if (at.state()?.can.undo) at.send("undo");
  }

  function redo() {
    if (at.state()?.can.redo) at.send("redo");
  }

  async function resign() {
    if (!at.state().can.resign) return;
    if (await confirmed("Resign this game?", "Resign")) at.send("resign");
  }

  async function again() {
    const { game, variant, options, seats: old, clock } = at.state();
    const message = { type: "new", game, variant: variant ?? options, seats: old.map(sameSeat) };
    if (clock?.seconds) message.clock = { seconds: clock.seconds, increment: clock.increment };
    begin(connection, message).catch((trouble) => notify(trouble.message));
  }

  /** The address of the shown position on the page with its exact value. */
  async function showExactValue() {
    try {
      const { id, ply, game, view } = at.state();
      if (game === "othello") return judgeOthello(view);
      const text = (await (await fetch(`/api/games/${id}.txt`)).text()).trim();
      location.hash = text ? `#/truth/${encodeURIComponent(text)}/${ply}` : "#/truth";
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  /** The result of a finished game, which needs no request. */
  function judgeOthello(view) {
    if (view.turn.c) return void (location.hash = `#/truth/othello/${encodeURIComponent(othelloText(view))}`);
    hintLine.hidden = false;
    setText(hintLine, `The game is over: ${view.over}`);
    return null;
  }

  async function analyse() {
    try {
      const { id, game } = at.state();
      const text = await (await fetch(`/api/games/${id}.jsonl`)).text();
      const message = { type: "new", game, text, analysis: true, seats: ["human", "human"] };
      const state = await connection.send(message, { quiet: true });
      location.hash = `#/analyse/${state.id}`;
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  return {
    close: () => {
      seats.stop();
      at.stop();
    },
  };
}

function bothMine(state) {
  return state.seats.every((seat) => seat.you);
}

const FEW = 12; // empty squares of Othello that are solved while one waits

/** Choko is solved, and so is Othello near its end. */
function isSolved({ game, variant, view }) {
  if (variant !== "standard") return false;
  return game === "choko" || (game === "othello" && view.pieces.length >= 64 - FEW);
}

/** A position of Othello as text: 64 squares from a1 on, and the side to move. */
function othelloText({ pieces, turn }) {
  const letters = { b: "X", w: "O" };
  const at = Object.fromEntries(pieces.map((piece) => [piece.at, letters[piece.c]]));
  const squares = [..."12345678"].flatMap((row) => [..."abcdefgh"].map((column) => at[column + row] ?? "-"));
  return `${squares.join("")} ${letters[turn.c]}`;
}

function sameSeat(seat) {
  if (seat.kind === "agent") return seat.spec;
  return seat.you ? "human" : "open";
}
