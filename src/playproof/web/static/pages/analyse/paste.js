/* One box for any text with a game or a position, and examples. */

import { button, choice, clear, el, field, setText } from "../../dom.js";
import { contentsOf } from "../../connection.js";
import { EXAMPLES } from "./examples.js";

const AUTO = "auto";

/** `open({game, text})` starts an analysis, or rejects with one line. */
export function pasteCard(catalog, open) {
  const text = el("textarea", {
    name: "text",
    spellcheck: false,
    autocapitalize: "off",
    rows: "6",
    placeholder: "f5d6c3d3c4 …   or   1. e4 e5 2. Nf3 …   or   (;GM[1]SZ[9];B[ee] …",
  });
  const names = catalog.games.map((one) => [one.name, one.title]);
  const game = choice([[AUTO, "Detect from the text"], ...names], AUTO, null, { name: "game" });
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "paste-problem" });
  // The browser's own button cannot be styled alike everywhere, so ours replaces it.
  const file = el("input", {
    type: "file",
    accept: ".txt,.pgn,.sgf,.fen,.epd,.json,.jsonl",
    class: "unseen",
    tabindex: "-1",
    "aria-hidden": "true",
    onchange: () => load(),
  });
  const offer = el("div", { class: "stack-small", hidden: true, tabindex: "-1", "data-testid": "paste-choices" });
  const labels = EXAMPLES.map((one, i) => [String(i), one.label]);
  const example = choice([["", "Choose an example"], ...labels], "", () => pick(), { name: "example" });

  const node = el(
    "form",
    { class: "card stack no-print", "aria-labelledby": "paste-head", "data-testid": "paste", onsubmit: submit },
    el("h2", { id: "paste-head" }, "Another game"),
    field("Example", example),
    field("Text", text, "Moves in a row, PGN, SGF, FEN, a board, or a record saved here."),
    field("Game", game),
    problem,
    offer,
    el(
      "div",
      { class: "row" },
      el("button", { class: "button button-main", type: "submit", "data-testid": "open-text" }, "Open"),
      button("Open a file", () => file.click()),
      file,
    ),
  );

  async function submit(event) {
    event.preventDefault();
    await start({ game: game.value, text: text.value });
  }

  async function start(what) {
    setText(problem, "");
    offer.hidden = true;
    const blank = !what.text.trim(); // a game alone is opened at its start
    if (blank && what.game === AUTO) return setText(problem, "There is nothing to open: paste a game or a position, or choose a game.");
    try {
      const { choices, msg, games, of } = await contentsOf(what.text, what.game);
      if (choices.length) return ask(msg, choices.map((one) => [one.title, { game: one.name, text: what.text }]));
      if (msg) throw new Error(msg);
      if (of < 2) return await open(what);
      const more = of > games.length ? ` The first ${games.length} are listed.` : "";
      return ask(`This text contains ${of} games: choose one.${more}`, games.map((one) => [gameLabel(one), { ...what, text: what.text.slice(one.begin, one.end) }]));
    } catch (trouble) {
      setText(problem, trouble.message);
      text.focus();
    }
    return null;
  }

  /** A question to the user, as buttons: [label, what it opens]. */
  function ask(question, answers) {
    clear(
      offer,
      el("p", { role: "status" }, question),
      el("ul", { class: "variations" }, answers.map(([label, what]) => el("li", {}, answer(label, what)))),
    );
    offer.hidden = false;
    offer.focus();
    return null;
  }

  function answer(label, what) {
    return el("button", { type: "button", class: "move", onclick: () => openOne(what) }, el("span", {}, label));
  }

  async function openOne(what) {
    try {
      await open(what);
    } catch (trouble) {
      setText(problem, trouble.message);
    }
  }

  function pick() {
    if (example.value === "") return;
    const one = EXAMPLES[Number(example.value)];
    text.value = one.text;
    game.value = catalog.games.some((known) => known.name === one.game) ? one.game : AUTO;
    start({ game: game.value, text: one.text });
  }

  async function load() {
    if (!file.files.length) return;
    text.value = decoded(await file.files[0].arrayBuffer());
    file.value = "";
    await start({ game: game.value, text: text.value });
  }

  return { node };
}

/** "2. Morphy – Anderssen, 1-0, Paris 1858". */
function gameLabel({ number, players, result, date, event }) {
  const names = players.map((name) => name || "?").join(" – ");
  return `${number}. ${[names, result === "*" ? "" : result, event, date].filter(Boolean).join(", ")}`;
}

/** A file's text: UTF-8, or else Latin-1, which older PGN and SGF files are in. */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}
