/* Games: all saved games, to continue, download or delete. */

import { button, clear, el, listen } from "../../dom.js";
import { confirmed, notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { isLesson, listGames } from "../shared/last_game.js";
import { formatLinks } from "../shared/save.js";
import { ago, ending, gameOf, seatName, variantLabel } from "../shared/words.js";

export async function show(root, { catalog }) {
  const list = el("ul", { class: "games", "data-testid": "games" });
  const note = el("p", { class: "note", role: "status" });
  root.append(
    el(
      "div",
      { class: "row row-apart page-head" },
      el("h1", {}, "Games"),
      el("a", { class: "button button-main", href: "#/play" }, "Play"),
    ),
    note,
    list,
  );

  async function refresh() {
    const games = await listGames();
    note.textContent = games.length
      ? "Every move is saved at once. Continue whenever you like."
      : "No games yet. The first one is a click away, under Play.";
    clear(
      list,
      games.map((game) => item(game)),
    );
  }

  function item(game) {
    const page = game.analysis ? "analyse" : isLesson(game.id) ? "classroom" : "play";
    const over = game.result !== "*";
    const mine = game.seats.some((seat) => seat.you);
    const open = game.seats.some((seat) => seat.kind === "open");
    const verb = game.analysis || over ? "View" : mine ? "Continue" : open ? "Join" : "Watch";
    const kind = gameOf(catalog, game.game);
    const see = game.can?.see !== false; // the owner of an open lab sees private games in the list too
    const theme = document.documentElement.dataset.theme;
    return el(
      "li",
      { class: "card game-item", "data-testid": `game-${game.id}` },
      see &&
        el("img", {
          class: "game-picture",
          src: `/api/games/${game.id}.svg?theme=${theme}`,
          alt: "",
          loading: "lazy",
          width: "120",
          height: "120",
        }),
      el(
        "div",
        { class: "stack-small grow" },
        el("h2", {}, kind.title, el("span", { class: "quiet small" }, ` ${variantLabel(catalog, game)}`)),
        el("p", {}, game.analysis ? "Analysis" : players(game)),
        el("p", { class: "note" }, `${how(game)} · ${ago(game.updated)}`),
        el(
          "div",
          { class: "row no-print" },
          see &&
            el(
              "a",
              {
                class: "button button-main",
                href: `#/${page}/${game.id}`,
                "aria-label": `${verb}: ${kind.title}, ${moveCount(game.ply)}`,
              },
              verb,
            ),
          see &&
            el(
              "details",
              { class: "menu" },
              el("summary", { class: "button", "aria-label": `Save this game of ${kind.title}` }, "Save"),
              el(
                "div",
                { class: "menu-box card" },
                el("ul", { class: "plain-list" }, formatLinks(game.id, kind.formats)),
              ),
            ),
          !see && el("span", { class: "note" }, "A private game of somebody else: you can only delete it."),
          game.can?.delete &&
            button("Delete", () => remove(game, kind), {
              class: "button-danger",
              "aria-label": `Delete this game of ${kind.title}`,
            }),
        ),
      ),
    );
  }

  function how(game) {
    if (game.result !== "*") return ending(catalog, game);
    return game.analysis ? moveCount(game.ply) : `${moveCount(game.ply)}, not finished`;
  }

  function players(game) {
    const names = gameOf(catalog, game.game).players;
    return game.seats.map((seat, i) => `${names[i]}: ${seatName(catalog, game, seat)}`).join(" · ");
  }

  async function remove(game, kind) {
    if (!(await confirmed(`Delete this game of ${kind.title} for good?`, "Delete"))) return;
    try {
      await ask(`/api/games/${game.id}/delete`, {});
      await refresh();
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  await refresh();
  return listen(window, { themechange: refresh });
}

function moveCount(ply) {
  return ply === 1 ? "1 move" : `${ply} moves`;
}
