/* A solved board to walk through: every choice with its value, and the way back. */

import "../../board/board.js";
import { button, clear, el, setText } from "../../dom.js";
import { dim } from "../shared/moves.js";

/** "+6", "−2", "0": by how many points or discs Black is ahead. */
export function signed(number) {
  return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
}

/** `kind` starts the test ids; `play(name)` is called for a choice, `step(by)` to go back. */
export function walk(kind, { play, step }) {
  const board = el("play-board", { "data-testid": `${kind}-board` });
  const head = el("h3");
  const status = el("p", { class: "status", role: "status", "data-testid": `${kind}-value` });
  const body = el("tbody");
  const moves = el(
    "div",
    { class: "moves-table truth-moves", "data-testid": `${kind}-moves` },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, "Every choice and its value, best first"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Choice"), el("th", { scope: "col", class: "number" }, "Black's margin"))),
      body,
    ),
  );
  const back = [button("Back", () => step(-1), { testid: `${kind}-back` }), button("From the start", () => step(-Infinity))];
  const way = el("p", { class: "mono small", "data-testid": `${kind}-way` });
  const note = el("p", { class: "note" });
  const node = el(
    "div",
    { class: "walk", hidden: true, "data-testid": `${kind}-walk` },
    el("div", { class: "walk-board" }, board),
    el(
      "div",
      { class: "stack-small" },
      head,
      status,
      moves,
      way,
      el("div", { class: "row no-print" }, back),
      note,
    ),
  );
  board.addEventListener("move", (event) => play(event.detail.n ?? event.detail.c.join("")));

  /** `choices`: [name, margin] pairs, best first; `footer`: the text below, nodes or strings. */
  function show({ title, view, value, choices, names, footer }) {
    setText(head, title);
    board.view = view;
    setText(status, value);
    moves.hidden = !choices.length;
    clear(
      body,
      choices.map(([name, margin]) =>
        el(
          "tr",
          {},
          el(
            "td",
            {},
            el("button", { type: "button", class: "line-move mono", "aria-label": `Choose ${name}`, onclick: () => play(name) }, name),
          ),
          el("td", { class: "number" }, margin),
        ),
      ),
    );
    setText(way, names.length ? `So far: ${names.join(" ")}` : "");
    for (const one of back) dim(one, !names.length);
    clear(note, footer);
  }

  /** Scrolls into view, since it opens below what was clicked. */
  function open() {
    const first = node.hidden;
    node.hidden = false;
    return () => first && node.scrollIntoView({ block: "start" });
  }

  return { node, show, open, setStatus: (text) => setText(status, text) };
}
