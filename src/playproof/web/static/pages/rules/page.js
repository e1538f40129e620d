/* The rules of a game in plain words, with pictures drawn by the board. */

import { button, clear, el, listen } from "../../dom.js";
import { notify } from "../../notices.js";
import { drawn } from "../../rules/pictures.js";
import { resumeOrStart } from "../shared/last_game.js";
import { gameOf } from "../shared/words.js";

const LOADERS = {
  othello: () => import("../../rules/othello.js"),
  choko: () => import("../../rules/choko.js"),
  "quantum-go": () => import("../../rules/quantum-go.js"),
  chess: () => import("../../rules/chess.js"),
  go: () => import("../../rules/go.js"),
};

export async function show(root, { id, connection, catalog }) {
  const names = catalog.games.map((game) => game.name);
  const name = names.includes(id) ? id : names[0];
  const game = gameOf(catalog, name);
  // A third-party game brings its own text.
  const { rules } = game.rules ? game : await LOADERS[name]();
  const pictures = []; // [element, picture]
  document.title = `Rules of ${game.title} – Playproof`;

  root.append(
    el(
      "nav",
      { class: "rules-nav no-print", "aria-label": "Games" },
      names.map((one) =>
        el(
          "a",
          { class: "button", href: `#/rules/${one}`, "aria-current": one === name ? "page" : null },
          gameOf(catalog, one).title,
        ),
      ),
    ),
    el(
      "article",
      { class: "card rules stack", "data-testid": "rules-article" },
      el(
        "header",
        { class: "stack-small" },
        el("h1", {}, `How to play ${rules.title}`),
        el("p", { class: "lead" }, rules.lead),
      ),
      rules.parts.map((part) => section(part)),
      el(
        "p",
        { class: "row no-print" },
        button(`Play ${game.title}`, () => play(), { main: true, testid: "rules-play" }),
        el("a", { class: "button", href: "#/analyse" }, "Analyse a game"),
      ),
    ),
  );

  async function play() {
    try {
      location.hash = `#/play/${await resumeOrStart(connection, catalog, name)}`;
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  function section(part) {
    return el(
      "section",
      { class: "rule" },
      el("h2", {}, part.head),
      (part.text ?? []).map((text) => el("p", {}, text)),
      part.list?.length > 0 && el("ul", {}, part.list.map((text) => el("li", {}, text))),
      part.link && el("p", {}, el("a", { class: "rules-link", href: part.link[0] }, part.link[1])),
      part.pictures &&
        el(
          "div",
          { class: "pictures" },
          part.pictures.map((picture) => {
            const frame = el("div", { class: "picture" });
            pictures.push([frame, picture]);
            return el("figure", {}, frame, el("figcaption", {}, picture.caption));
          }),
        ),
    );
  }

  function paint() {
    const { theme } = document.documentElement.dataset;
    for (const [frame, picture] of pictures) clear(frame, drawn(name, picture, theme));
  }

  paint();
  return listen(window, { themechange: paint });
}
