/* Values in words and in a table, and the cost of computing an unknown one. */

import { button, clear, el } from "../../dom.js";
import { span } from "../../jobs.js";

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "19 MB": powers of a thousand, as disks are sold. */
export function bytes(count) {
  const step = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  const number = count / 1000 ** step;
  return `${number < 10 && step > 1 ? number.toFixed(1) : Math.round(number)} ${UNITS[step]}`;
}

/** A duration, rounded as an estimate. */
export function roughly(seconds) {
  if (seconds < 1) return "a second";
  return span(seconds < 90 ? seconds : 60 * Math.round(seconds / 60)).replace(/ 0 s$/, "");
}

export function costWords({ seconds, disk, memory }) {
  return `about ${roughly(seconds)}, ${bytes(disk)} of disk and ${bytes(memory)} of memory`;
}

/** A value from the mover's side: "win", "draw" or "loss". */
export function fate(who, colour) {
  if (who === 0) return "draw";
  return (who > 0) === (colour === "b") ? "win" : "loss";
}

/** All moves with their values, best first; `play(name)` is called when one is chosen. */
export function movesTable(play) {
  const body = el("tbody");
  const node = el(
    "div",
    { class: "moves-table truth-moves", "data-testid": "truth-moves" },
    el(
      "table",
      {},
      el("caption", { class: "unseen" }, "Every legal move and its value, best first"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Move"), el("th", { scope: "col" }, "Value, in moves"))),
      body,
    ),
  );

  function show(moves, turn) {
    node.hidden = !moves.length;
    node.scrollTop = 0;
    clear(
      body,
      moves.map((one) =>
        el(
          "tr",
          { "data-testid": `worth-${one.n}` },
          el(
            "td",
            {},
            el("button", { type: "button", class: "line-move mono", "aria-label": `Play ${one.n}`, onclick: () => play(one.n) }, one.n),
          ),
          el("td", {}, el("span", { class: `fate fate-${fate(one.who, turn.c)}` }), one.words),
        ),
      ),
    );
  }

  return { node, show };
}

/** Why some values are unknown, and what to do about it. */
export function beyondWords({ beyond, known, pieces }, tables, join, analyse) {
  if (!beyond.possible)
    return el("p", {}, "No game reaches this number of pieces, since captures take two at a time. So there are no tables for it.");
  const reach = tables.largest();
  const have = reach
    ? `The tables built here have every position with up to ${reach} pieces in play, hands included; this one has ${pieces}.`
    : `No tables have been built here yet; this position has ${pieces} pieces in play, hands included.`;
  const missing = known ? "The values of its moves are in none of the tables here. " : "";
  const offer = tables.offer(pieces);
  return [
    el("p", { class: "small" }, `${missing}${have}`),
    el("p", { class: "small" }, `Tables up to ${pieces} pieces would take ${costWords(beyond)}.`),
    offer.fits
      ? join.owner !== false &&
        el("div", {}, button(`Build tables up to ${pieces} pieces`, () => tables.build(pieces), { testid: "build-here" }))
      : el("p", { class: "small quiet" }, "That is more than this computer has free at present."),
    !known &&
      el(
        "div",
        { class: "stack-small" },
        el("p", { class: "small" }, "A search can still analyse it: it finds good moves, but without certainty."),
        el("div", { class: "row no-print" }, button("Open it in Analyse", () => analyse(), { testid: "think-here" })),
      ),
  ];
}
