/* The output of an analysis: a bar, the best line, a table of moves.  Space for all of it is
   reserved from the start, so that nothing jumps while results stream in. */

import { hasPegs } from "../../board/places.js";
import { tone } from "../../board/svg_theme.js";
import { clear, el, setText } from "../../dom.js";
import { lineMoves } from "../shared/line.js";
import { percent, sides, valueText } from "../shared/words.js";

const MOST_ROWS = 8;
const COLUMNS = ["Move", "Chances", "Value", "Visits", "Prior"];

/** The bar with the first player's expected share of the point. */
export function valueBar(catalog) {
  const left = el("span", { class: "bar-name" });
  const right = el("span", { class: "bar-name bar-right" });
  const part = el("span", { class: "bar-part" });
  const bar = el(
    "div",
    { class: "bar", role: "meter", "aria-valuemin": "0", "aria-valuemax": "100" },
    part,
    el("span", { class: "bar-middle" }),
  );
  const node = el("div", { class: "value", "data-testid": "value" }, left, bar, right);

  function show(state, thought) {
    const [first, second] = sides(catalog, state);
    const share = thought?.share;
    const known = isNumber(share);
    node.className = known ? "value" : "value value-none";
    const pegs = hasPegs(state.view);
    part.style.background = tone(first.colour, pegs).fill;
    bar.style.background = tone(second.colour, pegs).fill;
    part.style.width = known ? percent(share) : "50%";
    bar.setAttribute("aria-label", `Chances of ${first.name}`);
    bar.setAttribute("aria-valuenow", String(known ? Math.round(100 * share) : 50));
    setText(left, known ? `${first.name} ${percent(share)}` : first.name);
    setText(right, known ? `${second.name} ${percent(1 - share)}` : second.name);
    bar.setAttribute("aria-valuetext", known ? `${left.textContent}, ${right.textContent}` : "not known yet");
  }

  return { node, show };
}

/** The best line as buttons; `follow(actions)` plays them on the board. */
export function lineOf(follow) {
  const node = el("p", { class: "line", "data-testid": "pv" });
  let shown = "";

  function show(names, actions = []) {
    if (names.join(" ") === shown) return;
    shown = names.join(" ");
    clear(
      node,
      el("strong", {}, "Best line "),
      names.length === 0 && el("span", { class: "quiet" }, "not known yet"),
      lineMoves(names, (count) => follow(actions.slice(0, count))),
    );
  }

  show([]);
  shown = "-";
  return { node, show };
}

/** The lines after the best one, each with its value; `follow(actions)` plays one. */
export function otherLines(follow) {
  const node = el("ol", { class: "other-lines", start: "2", "data-testid": "other-lines" });
  let shown = "";

  /** `count` lines in all, including the best one; space is reserved for those to come. */
  function show(thought, count) {
    const lines = (thought?.top ?? []).slice(1, count).filter((one) => one.line?.length > 0);
    const text = JSON.stringify([count, lines.map((one) => [one.line, worth(one, thought.unit)])]);
    if (text === shown) return;
    shown = text;
    node.hidden = count < 2;
    const places = Array.from({ length: count - 1 }, (_, i) => lines[i]);
    clear(
      node,
      places.map((one, i) =>
        el(
          "li",
          { class: "other-line" },
          el("span", { class: "quiet" }, one ? `${worth(one, thought.unit)} ` : "not known yet"),
          one && lineMoves(one.line, (length) => follow(one.actions.slice(0, length)), `line ${i + 2}`),
        ),
      ),
    );
  }

  return { node, show };
}

function worth(one, unit) {
  return one.words || (isNumber(one.share) ? percent(one.share) : valueText(one.value, unit));
}

/** The table of moves; a row's button plays the move. */
export function movesTable(play) {
  const body = el("tbody");
  const heads = COLUMNS.map((text, i) => el("th", { scope: "col", class: i ? "number" : "" }, text));
  const node = el(
    "div",
    { class: "moves-table", "data-testid": "top" },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, "Analysed moves, best first"),
      el("thead", {}, el("tr", {}, heads)),
      body,
    ),
  );

  function show(thought, first) {
    const rows = (thought?.top ?? []).slice(0, MOST_ROWS);
    const counted = rows.some((one) => isNumber(one.visits));
    node.classList.toggle("no-visits", rows.length > 0 && !counted);
    heads[1].textContent = `${first.name}'s chances`;
    clear(
      body,
      rows.map((one) => row(one, thought.unit)),
    );
  }

  function row(one, unit) {
    const cells = [
      isNumber(one.share) ? percent(one.share) : "–",
      one.words || valueText(one.value, unit),
      isNumber(one.visits) ? one.visits.toLocaleString("en") : "–",
      isNumber(one.prior) ? percent(one.prior) : "–",
    ];
    const onclick = () => play(one.c);
    const move = { type: "button", class: "line-move mono", "aria-label": `Play ${one.n}`, onclick };
    return el(
      "tr",
      {},
      el("td", {}, el("button", move, one.n)),
      cells.map((text) => el("td", { class: "number" }, text)),
    );
  }

  return { node, show };
}

function isNumber(value) {
  return typeof value === "number";
}
