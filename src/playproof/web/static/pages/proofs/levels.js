/* Backwards: how many positions lie one disc, two discs ... before a candidate. */

import { button, el, setText } from "../../dom.js";
import { startJob } from "../../jobs.js";
import { ask } from "../../connection.js";
import { levelsChart } from "./chart.js";
import { stillBoard } from "./frames.js";
import { ownForm } from "./lemma.js";
import { choices, counted, standAt } from "./words.js";

const ALL = { name: "all", title: "All positions with 34 moves" };
const LEAD =
  "Take back the last move in every way the rules allow, and count the positions that could have come before. Then do the same with those. A position that occurs in a game leads back to the start; one that does not runs out of predecessors on the way.";

export async function show(root, { more, overview }) {
  const own = more[0] === "own";
  const list = [...overview.candidates, ALL];
  const name = own || list.some((one) => one.name === more[0]) ? more[0] : list[0].name;
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "levels-problem" });
  root.append(el("p", { class: "proof-lead" }, LEAD), choices("levels", list, name, "Candidates"));
  let leave = null;
  try {
    if (name === "all") leave = await showAll(root, overview);
    else {
      const path = own ? `/api/proofs/levels?position=${encodeURIComponent(more[1] ?? "")}` : `/api/proofs/levels/${name}`;
      const candidate = await ask(path);
      const places = own ? ["levels", "own", more[1]] : ["levels", name];
      leave = showOne(root, candidate, places, more[own ? 2 : 1]);
    }
  } catch (trouble) {
    problem.textContent = trouble.message;
  }
  root.append(
    ownForm("levels", own ? more[1] : "", problem),
    el("p", { class: "note" }, "So much for single positions. The proof for all of them can be ", el("a", { href: "#/proofs/run" }, "run here"), "."),
  );
  return leave;
}

/** The outcome in a sentence. */
export function verdictOf({ levels, end }) {
  const last = levels[levels.length - 1];
  const back = discs(last.back);
  if (end === "stopped")
    return `Stopped ${back} back, at ${counted(last.positions)} positions, which is more than this page counts. Nothing is decided.`;
  if (end === "met")
    return "It goes back to the start: some game leads to this position. Of the positions with few discs, the marked ones are reached by play.";
  if (last.positions === 0) return `Nothing is left ${back} back. So no game leads there.`;
  return "It goes back to four discs, but not to those of the start. So no game leads there.";
}

function discs(count) {
  return count === 1 ? "1 disc" : `${count} discs`;
}

function showOne(root, candidate, places, level) {
  const board = stillBoard({ "data-testid": "level-board" });
  const about = el("p", { class: "note", role: "status", "data-testid": "level-about" });
  const chart = levelsChart(candidate.levels);
  const met = candidate.levels.some((one) => one.known !== null);
  const rows = candidate.levels.map((one) => row(one, choose, met));
  root.append(
    el(
      "section",
      { class: "card stack", "aria-labelledby": "levels-head" },
      el("h2", { id: "levels-head" }, candidate.title),
      el("p", {}, candidate.about),
      el("p", { class: "step", "data-testid": "levels-verdict" }, verdictOf(candidate)),
      el(
        "div",
        { class: "proof-look" },
        el("div", { class: "proof-board stack-small" }, board, about),
        el("div", { class: "stack-small proof-side" }, chart.node, table(rows, { met })),
      ),
    ),
  );

  async function choose(one) {
    for (const { button, level } of rows) button?.setAttribute("aria-pressed", String(level === one));
    if (one.back === 0) board.view = candidate.view;
    else board.view = (await ask(`/api/proofs/position?position=${encodeURIComponent(one.example)}`)).view;
    const what = one.back === 0 ? "The position itself." : `One of ${counted(one.positions)} positions ${discs(one.back)} earlier, the side to move drawn as Black.`;
    setText(about, what);
    standAt(...places, String(one.back));
  }

  const linked = /^\d{1,2}$/.test(level ?? "") ? candidate.levels[Number(level)] : null;
  choose(linked?.example ? linked : candidate.levels[0]);
  return chart.stop;
}

function row(one, choose, met = false) {
  const name = one.stones === null ? `${one.back} back` : `${one.stones} discs`;
  const press =
    one.example && choose
      ? button(name, () => choose(one), { "aria-pressed": "false", testid: `level-${one.back}`, "aria-label": `Show a position with ${name}` })
      : null;
  return {
    level: one,
    button: press,
    node: el(
      "tr",
      {},
      el("th", { scope: "row" }, press ?? name),
      one.stones !== null && el("td", { class: "number" }, one.back),
      el("td", { class: "number" }, counted(one.positions)),
      met && el("td", { class: "number" }, one.known === null ? "" : counted(one.known)),
    ),
  };
}

/** The same figures as a table. */
function table(rows, { open = true, met = false } = {}) {
  const stones = rows[0].level.stones !== null;
  return el(
    "details",
    { open },
    el("summary", {}, "The same as a table"),
    el(
      "div",
      { class: "proof-table", tabindex: "0", role: "region", "aria-label": "Levels as a table" },
      el(
        "table",
        { "data-testid": "levels-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            el("th", { scope: "col" }, stones ? "Show a position with" : "Discs taken back"),
            stones && el("th", { scope: "col", class: "number" }, "Taken back"),
            el("th", { scope: "col", class: "number" }, "Positions"),
            met && el("th", { scope: "col", class: "number" }, "Reached by play"),
          ),
        ),
        el("tbody", {}, rows.map(({ node }) => node)),
      ),
    ),
  );
}

/** A chart with its table, for the levels of a proof. */
export function levelsFigure(counts) {
  const levels = counts.map((positions, back) => ({ back, stones: null, positions, known: null, example: null }));
  const chart = levelsChart(levels);
  return { node: el("div", { class: "stack-small" }, chart.node, table(levels.map((one) => row(one, null)), { open: false })), stop: chart.stop };
}

async function showAll(root, overview) {
  const { found } = await ask("/api/proofs/levels/all");
  const card = el(
    "section",
    { class: "card stack", "aria-labelledby": "levels-head" },
    el("h2", { id: "levels-head" }, ALL.title),
    el(
      "p",
      {},
      "A solver lists every way to place discs, on squares that can be filled, that gives one side 34 moves. All these positions are taken back together. This is the heart of the proof that 34 moves never occur.",
    ),
  );
  root.append(card);
  if (!found) {
    const run = button("Run that proof (about a minute)", start, { main: true, testid: "run-all" });
    run.disabled = !overview.owner || Boolean(overview.problem);
    card.append(el("p", { class: "note" }, overview.problem ?? "It has not been run here yet."), el("div", { class: "row" }, run));
    return null;
  }
  const figure = levelsFigure(found.levels.map((one) => one.positions));
  card.append(
    el("p", { class: "step", "data-testid": "levels-verdict" }, verdictOf(found)),
    figure.node,
    el("p", { class: "note" }, "From ", el("a", { href: `#/proofs/${found.job}` }, "this run of the proof"), "."),
  );
  return figure.stop;
}

async function start() {
  const job = await startJob("/api/proofs/run", { statement: "othello-reachable-34" });
  if (job) location.hash = `#/proofs/${job.id}`;
}
