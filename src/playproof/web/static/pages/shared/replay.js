/* A recorded game to step through: board, slider, buttons, keys, list of moves.

   const game = replay({ connection, catalog, onPly });  game.node is a section
   await game.open("/api/tournaments/games/12", ply);  game.keys for useKeys
   The path gives the game (web/game/replay.py `recorded_game`), path/views its positions by windows,
   path/KIND the game as a file. */

import "../../board/board.js";
import { button, clear, el, field, setText } from "../../dom.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { movesCard } from "./moves.js";
import { variantLabel } from "./words.js";

const WINDOW = 40; // plies per request
const SOON = 4; // plies before the end of the loaded part at which more is fetched
const FORMATS = { jsonl: "Record (JSON)", txt: "Moves (text)", sgf: "SGF, for Go programs", pgn: "PGN, for chess programs" };

export function replay({ connection, catalog, onPly = () => {} }) {
  let game = null;
  let path = "";
  let ply = 0;
  let views = new Map();
  let asked = new Map(); // window -> Promise
  const title = el("h2", { tabindex: "-1", "data-testid": "replay-title" });
  const players = el("p", { "data-testid": "replay-players" });
  const end = el("p", { class: "status", role: "status", "data-testid": "replay-end" });
  const board = el("play-board", { still: true, "data-testid": "replay-board" });
  const slider = el("input", {
    type: "range",
    min: "0",
    max: "0",
    step: "1",
    class: "replay-slider",
    "data-testid": "replay-slider",
    oninput: () => go(Number(slider.value)),
  });
  // The move list changes at once; `go` only fetches the board.
  const moves = movesCard((to) => void go(to === "last" ? game.of : to));
  const files = el("ul", { class: "plain-list" });
  const save = el(
    "details",
    { class: "menu" },
    el("summary", { class: "button", "data-testid": "replay-save" }, "Save"),
    el("div", { class: "menu-box card" }, files),
  );
  const node = el(
    "section",
    { class: "replay", "aria-label": "Game to step through", "data-testid": "replay", hidden: true },
    el(
      "div",
      { class: "replay-board stack-small" },
      title,
      players,
      board,
      el("div", { class: "no-print" }, field("Position", slider)),
    ),
    el(
      "div",
      { class: "stack" },
      end,
      moves.node,
      el("div", { class: "row no-print" }, button("Analyse", analyse, { testid: "replay-analyse" }), save),
    ),
  );

  /** Shows a game at a ply, by default its end. */
  async function open(from, at = null) {
    const found = await ask(from);
    [game, path, views, asked] = [found, from, new Map(), new Map()];
    const kind = variantLabel(catalog, game);
    setText(title, kind && kind !== "Standard" ? `${game.title}, ${kind}` : game.title);
    clear(
      players,
      game.sides.flatMap((side, i) => [i ? " against " : "", el("strong", {}, side.player), ` (${side.name})`]),
    );
    slider.max = String(game.of);
    clear(
      files,
      game.formats.map((kind) =>
        el("li", {}, el("a", { class: "button button-plain", href: `${path}/${kind}`, download: true }, FORMATS[kind] ?? kind)),
      ),
    );
    node.hidden = false;
    await go(Math.min(at ?? 0, game.of));
  }

  async function go(to) {
    if (!game) return;
    ply = Math.max(0, Math.min(to, game.of));
    slider.value = String(ply);
    slider.setAttribute("aria-valuetext", ply ? `Move ${ply} of ${game.of}: ${game.moves[ply - 1]}` : "The start");
    moves.show({ ply, of: game.of, moves: game.moves });
    setText(end, ply === game.of ? (game.reason ?? game.result) : turnText());
    onPly(ply);
    const mine = game;
    try {
      await fetchAround(ply);
    } catch (trouble) {
      return notify(trouble.message);
    }
    if (game === mine && views.has(ply)) {
      board.view = views.get(ply);
      if (ply < game.of) setText(end, turnText());
    }
  }

  function turnText() {
    const name = views.get(ply)?.turn.name;
    return name ? `${name} to move.` : "…";
  }

  async function fetchAround(at) {
    const first = Math.floor(at / WINDOW);
    const wanted = load(first);
    if (at % WINDOW >= WINDOW - SOON && (first + 1) * WINDOW <= game.of) load(first + 1).catch(() => {});
    if (at % WINDOW < SOON && first > 0) load(first - 1).catch(() => {});
    await wanted;
  }

  function load(number) {
    if (!asked.has(number)) {
      const [into, among] = [views, asked];
      const found = ask(`${path}/views?from=${number * WINDOW}&count=${WINDOW}`).then((answer) => {
        answer.views.forEach((view, i) => into.set(answer.from + i, view));
      });
      found.catch(() => among.delete(number)); // so that it is requested again
      among.set(number, found);
    }
    return asked.get(number);
  }

  async function analyse() {
    try {
      const message = { type: "new", game: game.game, variant: game.options, text: game.record, analysis: true };
      const state = await connection.send({ ...message, seats: ["human", "human"] }, { quiet: true });
      location.hash = `#/analyse/${state.id}`;
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  function close() {
    game = null;
    node.hidden = true;
  }

  /** Focuses the title of a chosen game and scrolls its board into view. */
  function focusGame() {
    title.focus({ preventScroll: true });
    const hidden = board.getBoundingClientRect().bottom > innerHeight || title.getBoundingClientRect().top < 0;
    if (hidden) node.scrollIntoView({ block: "start" });
  }

  return { node, open, go, close, focusGame, keys: moves.keys, title, ply: () => ply };
}
