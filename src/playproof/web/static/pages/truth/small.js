/* Small boards of Go and Quantum Go, solved: their values, and a board to walk through. */

import { clear, el } from "../../dom.js";
import { ask } from "../../connection.js";
import { signed, walk } from "./walk.js";

const CROSS = "×";

function margin([low, high]) {
  return low === high ? signed(low) : `${signed(low)} to ${signed(high)}`;
}

/** The margin in words: who wins, and by how much. */
function verdict([low, high], area) {
  if (low !== high) return `It depends on how endless play is scored: ${margin([low, high])} for Black`;
  if (low === 0) return "A tie";
  const who = low > 0 ? "Black" : "White";
  const all = Math.abs(low) === area ? ", the whole board" : "";
  return `${who} wins by ${Math.abs(low)}${all}`;
}

function address(board, variant, names = []) {
  const parts = [board, variant, ...(names.length ? [names.join(" ")] : [])];
  return `#/truth/small/${parts.map(encodeURIComponent).join("/")}`;
}

export function smallPart() {
  const values = el("div", { class: "wide", "data-testid": "small-values" });
  const place = walk("small", { play: (name) => play(name), step: (by) => step(by) });
  let seen = null;
  let titles = {};
  let turn = 0;

  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "small-head", id: "small" },
    el("h2", { id: "small-head" }, "Small boards of Quantum Go"),
    el(
      "p",
      {},
      "The points by which Black wins with best play, without komi for White. Choose a value to walk through its board: each choice shows what it leads to.",
    ),
    values,
    place.node,
  );
  fillTable();

  async function fillTable() {
    const solved = await ask("/api/truth/small");
    titles = Object.fromEntries(solved.variants.map((one) => [one.id, one]));
    clear(
      values,
      el(
        "table",
        { class: "small-table" },
        el("caption", { class: "unseen" }, "Black's margin by variant and board"),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, "Variant"),
            solved.boards.map((one) => el("th", { scope: "col" }, one.board.replace("x", CROSS))),
            el("th", { scope: "col" }, `${solved.superko.board.replace("x", CROSS)}, superko`),
          ),
        ),
        el(
          "tbody",
          {},
          solved.variants.map((variant) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, variant.title, el("span", { class: "note small-about" }, variant.about)),
              solved.boards.map((one) =>
                el(
                  "td",
                  {},
                  el(
                    "a",
                    {
                      class: "button",
                      href: address(one.board, variant.id),
                      "data-testid": `small-${one.board}-${variant.id}`,
                      "aria-label": `${variant.title} on ${one.board}: ${margin(one.values[variant.id])}. Walk through it`,
                    },
                    margin(one.values[variant.id]),
                  ),
                ),
              ),
              el("td", {}, margin([solved.superko.values[variant.id], solved.superko.values[variant.id]])),
            ),
          ),
        ),
      ),
      el("p", { class: "note" }, "Positions may repeat (simple ko), except in the last column (superko). If endless play makes a difference, both bounds are given."),
    );
    if (seen) paint();
  }

  async function open([size, variant, moves = ""]) {
    const mine = ++turn;
    if (!size || !variant) return node.scrollIntoView({ block: "start" });
    const show = place.open();
    place.setStatus("Solving the board …");
    try {
      const path = `/api/truth/small/${encodeURIComponent(size)}/${encodeURIComponent(variant)}`;
      const found = await ask(`${path}?${new URLSearchParams({ moves })}`);
      if (mine !== turn) return null;
      seen = found;
      paint();
      show();
    } catch (trouble) {
      if (mine === turn) place.setStatus(trouble.message);
    }
    return null;
  }

  function play(name) {
    location.hash = address(seen.board, seen.variant, [...seen.names, name]);
  }

  function step(by) {
    location.hash = address(seen.board, seen.variant, seen.names.slice(0, Math.max(0, seen.names.length + by)));
  }

  function paint() {
    const [wide, high] = seen.board.split("x").map(Number);
    place.show({
      title: `${titles[seen.variant]?.title ?? seen.variant}, ${seen.board.replace("x", CROSS)}`,
      view: seen.view,
      value: `${verdict(seen.value, wide * high)}.`,
      choices: seen.moves.map((one) => [one.n, margin(one.value)]),
      names: seen.names,
      footer: [`${seen.decisions.toLocaleString("en")} decisions, solved in ${seen.seconds} s. `, el("code", { class: "mono" }, seen.command)],
    });
  }

  return { node, open };
}
