/* The list of tournaments and matches, and a form to start one. */

import { button, clear, el, setText } from "../../dom.js";
import { ask } from "../../connection.js";
import { onJobChanges } from "../shared/job_changes.js";
import { ago } from "../shared/words.js";
import { startForm } from "./start.js";
import { headline, progressText, tablePill } from "./words.js";

const PAUSE = 2000; // milliseconds between updates while a tournament is running

export async function showTournaments(root, { connection, catalog, join }) {
  const list = el("ul", { class: "runs", "data-testid": "tournaments" });
  const note = el("p", { class: "note", role: "status" });
  const more = button("Show earlier ones", () => older(), { testid: "older" });
  const first = await ask("/api/tournaments");
  const { runs } = await ask("/api/runs").catch(() => ({ runs: [] })); // their nets can play
  const form = startForm(catalog, { owner: join?.owner !== false, workers: first.workers, runs });
  let shown = first.tournaments;
  let timer = null;
  root.append(
    el("div", { class: "row row-apart page-head" }, el("h1", {}, "Tournaments")),
    el(
      "p",
      {},
      "Which of several players is better? One game does not decide that. Here they play many, from the same openings " +
        "with sides swapped, and the table shows how certain the result is.",
    ),
    el(
      "div",
      { class: "train-top" },
      form.node,
      el("section", { class: "stack", "aria-labelledby": "list-head" }, el("h2", { id: "list-head" }, "Played here"), note, list, el("div", { class: "row no-print" }, more)),
    ),
  );

  function fillList() {
    setText(note, shown.length ? "Matches and tournaments from the command line are listed here too." : "None yet. Start one here, or on the command line with playproof tournament.");
    clear(list, shown.map(item));
    clearTimeout(timer);
    if (shown.some((one) => one.state === "running" || one.state === "waiting")) timer = setTimeout(refresh, PAUSE);
  }

  function item(one) {
    return el(
      "li",
      { class: "card stack-small", "data-testid": `tournament-${one.id}` },
      el("div", { class: "run-head" }, el("h3", {}, el("a", { href: `#/tournaments/${one.id}` }, headline(one))), tablePill(one)),
      el("p", { class: "note players" }, one.players.join(" · ")),
      el("progress", { class: "job-bar", max: 1, value: one.games ? one.played / one.games : 0, "aria-label": "Progress" }),
      el("p", { class: "note" }, `${progressText(one)} · seed ${one.seed} · ${ago(one.created)}${one.file ? ` · in ${one.file}` : ""}`),
    );
  }

  /** Reloads the newest ones; older ones that were loaded stay. */
  async function refresh() {
    const answer = await ask("/api/tournaments").catch(() => null);
    if (!answer) return void (timer = setTimeout(refresh, 2 * PAUSE));
    const known = new Set(answer.tournaments.map((one) => one.id));
    shown = [...answer.tournaments, ...shown.filter((one) => !known.has(one.id))];
    fillList();
    return null;
  }

  async function older() {
    const answer = await ask(`/api/tournaments?before=${shown[shown.length - 1].id}`);
    shown = [...shown, ...answer.tournaments];
    fillList();
    more.hidden = !answer.tournaments.length;
  }

  fillList();
  more.hidden = first.tournaments.length < 50;
  const unwatch = onJobChanges(connection, refresh);
  return () => {
    clearTimeout(timer);
    unwatch();
  };
}
