/* The games of two players: a paged list, and one game to step through. */

import { button, choice, clear, el, field, setText } from "../../dom.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { replay } from "../shared/replay.js";

const RESULTS = { "1-0": "first", "0-1": "second" };

/** `chosen({cell, game, ply})` is called with what is shown, for the address. */
export function gamesCard(number, { connection, catalog, chosen }) {
  const title = el("h2", { tabindex: "-1", "data-testid": "cell-title" });
  const list = el("ul", { class: "game-list", "data-testid": "cell-games" });
  const note = el("p", { class: "note" });
  const more = button("More games", () => load(), { testid: "more-games" });
  const result = choice(
    [
      ["", "All games"],
      ["won", "Won"],
      ["drawn", "Drawn"],
      ["lost", "Lost"],
    ],
    "",
    () => begin(),
    { name: "result", "data-testid": "cell-result" },
  );
  const game = replay({ connection, catalog, onPly: (ply) => cell && at !== null && chosen({ cell, game: at, ply }) });
  const node = el(
    "section",
    { class: "stack", hidden: true, "data-testid": "cell" },
    el("div", { class: "row row-apart" }, title, el("div", { class: "no-print" }, field("For the first player", result))),
    note,
    list,
    el("div", { class: "row no-print" }, more),
    game.node,
  );
  let table = null;
  let cell = null; // [i, j]
  let next = null;
  let at = null; // the number of the game that is open
  let turn = 0;

  /** Shows the games of two players. */
  async function open(i, j, { focus = false } = {}) {
    cell = [i, j];
    at = null;
    game.close();
    node.hidden = false;
    setText(title, `${table.players[i]} against ${table.players[j]}`);
    result.value = "";
    chosen({ cell, game: null, ply: null });
    await begin();
    if (focus) title.focus();
  }

  async function begin() {
    next = 0;
    clear(list);
    await load();
  }

  async function load() {
    const mine = ++turn;
    const query = `one=${cell[0]}&two=${cell[1]}&after=${next}${result.value ? `&result=${result.value}` : ""}`;
    const answer = await ask(`/api/tournaments/${number}/games?${query}`).catch((trouble) => notify(trouble.message));
    if (!answer || mine !== turn) return;
    next = answer.next;
    list.append(...answer.games.map(row));
    more.hidden = answer.games.length < 50;
    setText(note, list.childElementCount ? "In pairs from one opening, with sides swapped. Choose a game to step through it." : "There are no such games yet.");
  }

  function row(one) {
    const mine = one.first === table.players[cell[0]] ? "first" : "second";
    const end = RESULTS[one.result] === undefined ? "drawn" : RESULTS[one.result] === mine ? "won" : "lost";
    return el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          class: "game-row",
          dataset: { game: String(one.id) },
          "data-testid": `game-${one.id}`,
          onclick: () => step(one.id, 0, true),
        },
        el("span", {}, `Opening ${one.pair + 1}, moving ${mine}: ${end}`),
        el("span", { class: "note" }, `${one.plies} moves${one.reason ? `, ${one.reason}` : ""} · ${one.opening}`),
      ),
    );
  }

  /** Opens a game at a move. */
  async function step(id, ply, focus = false) {
    at = id;
    for (const item of list.querySelectorAll("button")) {
      if (Number(item.dataset.game) === id) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
    try {
      await game.open(`/api/tournaments/games/${id}`, ply);
      if (focus) game.focusGame();
    } catch (trouble) {
      at = null;
      notify(trouble.message);
    }
  }

  return { node, open, step, keys: game.keys, show: (news) => (table = news) };
}
