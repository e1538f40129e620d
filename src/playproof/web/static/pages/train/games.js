/* The games a run was tested with: a list, the latest first, and one to step through. */

import { button, clear, el, setText } from "../../dom.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { replay } from "../shared/replay.js";

const RESULTS = { "1-0": 0, "0-1": 1 };

/** `chosen(number, ply)` is called with the game and the ply that are shown, for the URL. */
export function testGames(id, { connection, catalog, chosen }) {
  const path = `/api/runs/${encodeURIComponent(id)}/games`;
  const list = el("ul", { class: "game-list", "data-testid": "test-games" });
  const note = el("p", { class: "note" });
  const more = button("Earlier games", () => older(), { testid: "older-games" });
  const game = replay({ connection, catalog, onPly: (ply) => number !== null && chosen(number, ply) });
  let games = [];
  let of = -1; // the number of games when the list was made
  let number = null;
  const node = el(
    "section",
    { class: "stack", "aria-labelledby": "tests-head" },
    el("h2", { id: "tests-head" }, "Games it was tested with"),
    note,
    list,
    el("div", { class: "row no-print" }, more),
    game.node,
  );

  /** Loads new games; called whenever the run has news. */
  async function refresh() {
    const answer = await ask(path);
    if (answer.of === of) return;
    const known = new Set(answer.games.map((one) => one.number));
    const fits = answer.of > of && of >= 0; // a resumed run may start with fewer games
    games = [...answer.games, ...(fits ? games.filter((one) => !known.has(one.number)) : [])];
    of = answer.of;
    fillList();
  }

  async function older() {
    const last = games[games.length - 1];
    const answer = await ask(`${path}?before=${last.number}`);
    games = [...games, ...answer.games];
    fillList();
  }

  function fillList() {
    setText(
      note,
      games.length
        ? "A few games of each evaluation are kept. Choose one to step through it."
        : "None yet: there has been no evaluation so far.",
    );
    more.hidden = !games.length || games[games.length - 1].number === 0;
    clear(list, games.map(row));
  }

  function row(one) {
    const side = RESULTS[one.result];
    const end = side === undefined ? "draw" : `${one.players[side]} wins`;
    return el(
      "li",
      {},
      el(
        "button",
        {
          type: "button",
          class: "game-row",
          "aria-current": one.number === number ? "true" : null,
          dataset: { number: String(one.number) },
          "data-testid": `test-game-${one.number}`,
          onclick: () => open(one.number, 0, true),
        },
        el("span", {}, `${one.players[0]} against ${one.players[1]}`),
        el("span", { class: "note" }, `${end}, ${one.plies} moves`),
      ),
    );
  }

  async function open(which, ply, focus = false) {
    number = which;
    for (const item of list.querySelectorAll("button")) {
      if (Number(item.dataset.number) === which) item.setAttribute("aria-current", "true");
      else item.removeAttribute("aria-current");
    }
    try {
      await game.open(`${path}/${which}`, ply);
      if (focus) game.focusGame();
    } catch (trouble) {
      number = null;
      notify(trouble.message);
    }
  }

  return { node, refresh, open, keys: game.keys };
}
