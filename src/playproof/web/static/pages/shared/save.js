/* "Save": the game in every file format, as downloads. */

import { clear, el } from "../../dom.js";

const FORMATS = {
  jsonl: "Record (JSON)",
  txt: "Moves (text)",
  sgf: "SGF, for Go programs",
  pgn: "PGN, for chess programs",
};

export function formatLinks(id, formats, ply = null) {
  const at = ply === null ? "" : `&ply=${ply}`;
  const theme = document.documentElement.dataset.theme;
  return [
    ...formats.map((format) => link(`/api/games/${id}.${format}`, FORMATS[format] ?? format, `${id}.${format}`)),
    link(`/api/games/${id}.svg?theme=${theme}${at}`, "Picture (SVG)", `${id}.svg`),
  ];
}

function link(href, label, download) {
  return el("li", {}, el("a", { class: "button button-plain", href, download }, label));
}

export function saveMenu() {
  const list = el("ul", { class: "plain-list" });
  const node = el(
    "details",
    { class: "menu", "data-testid": "save" },
    el("summary", { class: "button" }, "Save"),
    el(
      "div",
      { class: "menu-box card" },
      el("p", { class: "note" }, "The game is saved here automatically. Download it as:"),
      list,
    ),
  );
  node.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && node.open) {
      node.open = false;
      node.querySelector("summary").focus();
    }
  });
  return { node, show: (state) => clear(list, formatLinks(state.id, state.formats, state.ply)) };
}
