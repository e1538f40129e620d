/* Tables of Choko: those built here, the cost of larger ones, and building them as a job. */

import { button, clear, el } from "../../dom.js";
import { jobCard, startJob } from "../../jobs.js";
import { ask } from "../../connection.js";
import { bytes, costWords, roughly } from "./values.js";

/** `onBuilt()` is called when a build has ended. */
export function tablesPart(first, { connection, join, onBuilt }) {
  let state = first;
  const cards = new Map(); // by the job's id
  const have = el("p", { "data-testid": "tables-have" });
  const body = el("tbody");
  const jobs = el("div", { class: "stack-small", "data-testid": "table-jobs" });
  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "tables-head", id: "tables" },
    el("h2", { id: "tables-head" }, "Tables on this computer"),
    el(
      "p",
      {},
      "A table holds the value of every position with a given number of pieces in play, those in hand included. It is computed backwards from the end of the game. Tables are stored, and larger ones build on them.",
    ),
    have,
    jobs,
    el(
      "div",
      { class: "wide" },
      el(
        "table",
        {},
        el("caption", { class: "unseen" }, "Tables by the number of pieces in play, and their cost"),
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Pieces", "Positions", "Time", "Disk", "Memory", ""].map((head, i) =>
              i === 5 ? el("td", {}) : el("th", { scope: "col", class: ["", "number roomy", "number", "number", "number roomy"][i] }, head),
            ),
          ),
        ),
        body,
      ),
    ),
    el("p", { class: "note" }, "Times are estimates for this computer. On the command line: ", el("code", { class: "mono" }, "playproof table build choko --pieces N --distance")),
  );

  function show(news) {
    state = news;
    have.textContent = state.largest
      ? `Every position with up to ${state.largest} pieces in play is known here.`
      : "None has been built yet. Up to 6 pieces take a second, up to 8 less than a minute.";
    clear(
      body,
      state.sizes.map((size) => row(size)),
    );
    for (const id of state.jobs) watch(id);
  }

  function row(size) {
    return el(
      "tr",
      { "data-testid": `size-${size.pieces}` },
      el("th", { scope: "row" }, size.pieces),
      el("td", { class: "number roomy" }, size.positions.toLocaleString("en")),
      el("td", { class: "number" }, roughly(size.seconds)),
      el("td", { class: "number" }, bytes(size.disk)),
      el("td", { class: "number roomy" }, bytes(size.memory)),
      el("td", {}, deed(size)),
    );
  }

  function deed(size) {
    if (size.built) return el("span", { class: "pill" }, "Built");
    if (!size.fits) return el("span", { class: "note" }, "Too large here");
    if (join.owner === false) return null;
    return button("Build", () => build(size.pieces), {
      testid: `build-${size.pieces}`,
      "aria-label": `Build tables up to ${size.pieces} pieces: ${costWords(size)}`,
    });
  }

  async function build(pieces) {
    const job = await startJob("/api/truth/build", { pieces });
    if (job) {
      put(job);
      node.scrollIntoView({ block: "nearest" });
    }
  }

  async function watch(id) {
    if (!cards.has(id)) put(await ask(`/api/jobs/${id}`));
  }

  function put(job) {
    if (cards.has(job.id)) return;
    const card = jobCard(job, { connection, join, onEnd: () => onBuilt(), onGone: () => card.remove() });
    cards.set(job.id, card);
    jobs.prepend(card);
  }

  show(first);
  return {
    node,
    show,
    build,
    largest: () => state.largest,
    offer: (pieces) => state.sizes.find((size) => size.pieces === pieces) ?? { fits: false },
    stop: () => {
      for (const card of cards.values()) card.stop();
    },
  };
}
