/* One box for any text that holds a game or a position, and examples for an empty hand. */

import { button, choice, el, field, say } from "../../dom.js";
import { EXAMPLES } from "./examples.js";

const AUTO = "auto";

/** `open({game, text})` starts an analysis, or refuses with one line. */
export function pasteCard(catalog, open) {
  const text = el("textarea", {
    name: "text",
    spellcheck: false,
    autocapitalize: "off",
    rows: "6",
    placeholder: "f5d6c3d3c4 …   or   1. e4 e5 2. Nf3 …   or   (;GM[1]SZ[9];B[ee] …",
  });
  const names = catalog.games.map((one) => [one.name, one.title]);
  const game = choice([[AUTO, "Find out from the text"], ...names], AUTO, null, { name: "game" });
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "paste-problem" });
  // Its own button is not styled alike in all browsers: ours stands for it.
  const file = el("input", {
    type: "file",
    accept: ".txt,.pgn,.sgf,.fen,.epd,.json,.jsonl",
    class: "unseen",
    tabindex: "-1",
    "aria-hidden": "true",
    onchange: () => load(),
  });
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
    say(problem, "");
    const blank = !what.text.trim(); // a game alone is opened at its start
    if (blank && what.game === AUTO) return say(problem, "There is nothing to read yet: paste a game or a position, or choose a game.");
    try {
      await open(what);
    } catch (trouble) {
      say(problem, trouble.message);
      text.focus();
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
    text.value = await file.files[0].text();
    file.value = "";
    await start({ game: game.value, text: text.value });
  }

  return { node };
}
