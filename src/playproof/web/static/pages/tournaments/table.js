/* The cross table and the ratings of a tournament. */

import { clear, el } from "../../dom.js";
import { counts, levelOf, percent, playerName, swapped } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDE, HIGH] = [220, 28]; // pixels of a rating's picture
const WAYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** `choose(i, j)` is called with two players when their cell is clicked. */
export function crossTable(catalog, choose) {
  const body = el("tbody");
  const head = el("tr");
  const node = el(
    "div",
    { class: "wide-table cross", "data-testid": "cross" },
    el(
      "table",
      { onkeydown: walk },
      el("caption", { class: "note" }, "Points of the row's player against the column's, in percent; below, games won, drawn and lost. Choose a cell to see its games."),
      el("thead", {}, head),
      body,
    ),
  );
  let shown = "";
  let mine = null; // the pair whose games are shown

  function show(table) {
    const now = JSON.stringify([table.order, table.pairings, mine]);
    if (now === shown) return;
    shown = now;
    const focus = document.activeElement?.dataset?.cell;
    const { order } = table;
    const cells = new Map(table.pairings.map((one) => [one.players.join("-"), one]));
    clear(
      head,
      el("th", { scope: "col" }, "Player"),
      order.map((i, place) => el("th", { scope: "col", class: "number" }, el("span", { "aria-hidden": "true" }, place + 1), el("span", { class: "unseen" }, `against ${table.players[i]}`))),
    );
    clear(
      body,
      order.map((i, place) =>
        el(
          "tr",
          {},
          el("th", { scope: "row", class: "player" }, el("span", { class: "place" }, `${place + 1} `), playerName(table.players[i])),
          order.map((j) => el("td", {}, i === j ? el("span", { class: "unseen" }, "itself") : cell(table, cells, i, j))),
        ),
      ),
    );
    if (focus) body.querySelector(`[data-cell="${focus}"]`)?.focus({ preventScroll: true });
  }

  function cell(table, cells, i, j) {
    const pairing = i < j ? cells.get(`${i}-${j}`) : swapped(cells.get(`${j}-${i}`));
    const key = `${i}-${j}`;
    const known = pairing.mean !== null;
    const score = known ? percent(pairing.mean) : "–";
    const ends = known ? `[${pairing.interval.map((end) => Math.round(100 * end)).join(", ")}]` : "";
    // The farther from even, the stronger the tint, but always light enough for text.
    const tint = known ? Math.round(Math.abs(pairing.mean - 0.5) * 50) : 0;
    const colour = pairing.mean >= 0.5 ? "var(--blue)" : "var(--red)";
    return el(
      "button",
      {
        type: "button",
        class: "cell",
        dataset: { cell: key },
        "data-testid": `cell-${key}`,
        "aria-pressed": String(mine === key),
        "aria-label": `${table.players[i]} against ${table.players[j]}: ${score}, ${pairing.wins} won, ${pairing.draws} drawn, ${pairing.losses} lost`,
        style: `background: color-mix(in srgb, ${colour} ${tint}%, var(--card))`,
        onclick: () => choose(i, j),
      },
      el("strong", {}, score),
      el("span", { class: "small" }, ends),
      el("span", { class: "small mono" }, counts(pairing)),
    );
  }

  /** The arrow keys go from cell to cell, over the diagonal where there is none. */
  function walk(event) {
    const way = WAYS[event.key];
    const at = event.target.closest("td");
    if (!way || !at) return;
    let [row, column] = [at.parentElement.rowIndex - 1, at.cellIndex];
    do {
      row += way[0];
      column += way[1];
      const next = body.rows[row]?.cells[column]?.querySelector("button");
      if (next) {
        event.preventDefault();
        next.focus();
        return;
      }
    } while (body.rows[row] && column > 0 && column < body.rows[row].cells.length);
  }

  return {
    node,
    show,
    /** Marks the cell whose games are shown. */
    mark: (key) => {
      mine = key;
      for (const one of body.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.cell === key));
    },
  };
}

/** Ratings with their intervals, best first: a picture, and the numbers beside it. */
export function ratingTable(catalog) {
  const body = el("tbody");
  const node = el(
    "div",
    { class: "wide-table", "data-testid": "ratings", tabindex: "0", role: "region", "aria-label": "Table of ratings" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ["", "Player", "Elo, 95 % interval", "Points"].map((text, i) => (text ? el("th", { scope: "col", class: i === 3 ? "number" : "" }, text) : el("td"))))),
      body,
    ),
  );

  function show(table) {
    const { ratings, order } = table;
    const ends = ratings.flatMap((one) => [one.elo, ...one.interval]).filter((end) => end !== null);
    const [low, high] = ends.length ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
    const x = (elo) => 8 + ((elo - low) / Math.max(1, high - low)) * (WIDE - 16);
    clear(
      body,
      order.map((i, place) => {
        const level = levelOf(catalog, table, table.players[i]);
        return el(
          "tr",
          { "data-testid": `rating-${i}` },
          el("td", {}, place + 1),
          el("th", { scope: "row", class: "player" }, playerName(table.players[i]), level && el("span", { class: "note" }, ` ${level}`)),
          el("td", {}, el("div", { class: "rating" }, picture(ratings[i], x, low <= 0 && high >= 0), el("span", { class: "mono small" }, ratings[i].text))),
          el("td", { class: "number" }, `${ratings[i].points.toLocaleString("en")}/${ratings[i].games.toLocaleString("en")}`),
        );
      }),
    );
  }

  return { node, show };
}

/** A whisker with a dot; an arrow where an interval is open. */
function picture({ elo, interval: [lower, upper] }, x, zero) {
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" });
  const y = HIGH / 2;
  if (zero) svg.append(draw("path", { class: "rating-zero", d: `M${x(0)} 0V${HIGH}` }));
  if (lower !== null || upper !== null) {
    const [from, to] = [lower === null ? 2 : x(lower), upper === null ? WIDE - 2 : x(upper)];
    svg.append(draw("path", { class: "rating-span", d: `M${from} ${y}H${to}` }));
    if (upper === null) svg.append(draw("path", { class: "rating-dot", d: `M${to} ${y}l-8 -5v10z` }));
    if (lower === null) svg.append(draw("path", { class: "rating-dot", d: `M${from} ${y}l8 -5v10z` }));
  }
  if (elo !== null) svg.append(draw("circle", { class: "rating-dot", cx: x(elo), cy: y, r: 5 }));
  return svg;
}

function draw(tag, given) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) node.setAttribute(name, value);
  return node;
}
