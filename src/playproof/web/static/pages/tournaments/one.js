/* One tournament, live: its table, its ratings, its games. */

import { clear, el, setText } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { ask } from "../../connection.js";
import { jobPlace } from "../shared/job_place.js";
import { gamesCard } from "./games.js";
import { crossTable, ratingTable } from "./table.js";
import { headline, openingsText, progressText, tablePill, verdictText } from "./words.js";

const FORMATS = { jsonl: "All games (JSON lines)", pgn: "All games (PGN)", sgf: "All games (SGF)" };
const WORDS = [
  "Elo: a scale of strength on which only differences count. 0 is the mean of these players; 200 more means about three points out of four.",
  "95 % interval: where the true value most likely lies. If the intervals of two players overlap much, more games are needed.",
  "An arrow, or ≥ and ≤: one side has won every game, so only a bound is known.",
];

export async function showTournament(root, { id, more, connection, catalog, join }) {
  const path = `/api/tournaments/${encodeURIComponent(id)}`;
  const first = await ask(path);
  const pill = el("span");
  const far = el("p", { role: "status", "data-testid": "played" });
  const bar = el("progress", { class: "job-bar", max: 1, "aria-label": "Progress" });
  const about = el("p", { class: "note", "data-testid": "openings" });
  const drawn = el("code", { class: "mono" });
  const failures = el("ul", { class: "problem" });
  const test = el("p", { "data-testid": "test" });
  const trouble = el("p", { class: "problem", role: "alert" });
  const address = ({ cell, game, ply }) => {
    const rest = cell ? `/${cell.join("-")}${game === null ? "" : `.${game}.${ply}`}` : "";
    history.replaceState(null, "", `#/tournaments/${id}${rest}`);
  };
  const games = gamesCard(id, { connection, catalog, chosen: address });
  const cross = crossTable(catalog, (i, j) => open(i, j, { focus: true }));
  const ratings = ratingTable(catalog);
  const verdict = el("p", { "data-testid": "verdict" });
  const job = jobPlace("How it was played", { connection, join });

  root.append(
    el(
      "div",
      { class: "row row-apart page-head" },
      el("h1", { "data-testid": "tournament-title" }, headline(first)),
      el("div", { class: "row no-print" }, saveMenu(), el("a", { class: "button", href: "#/tournaments" }, "All tournaments")),
    ),
    el(
      "div",
      { class: "train-parts" },
      el("div", { class: "train-top" }, el("section", { class: "card stack-small", "aria-label": "This tournament" }, el("div", { class: "row row-apart" }, far, pill), bar, about, el("details", { class: "small" }, el("summary", {}, "To get the same openings again"), el("p", {}, drawn)), test, failures, trouble), job.node),
      el(
        "section",
        { class: "card stack-small", "aria-labelledby": "ratings-head" },
        el("h2", { id: "ratings-head" }, "Ratings"),
        verdict,
        ratings.node,
        el("details", { class: "no-print" }, el("summary", {}, "What these terms mean"), WORDS.map((text) => el("p", { class: "note" }, text))),
      ),
      el("section", { class: "card stack-small", "aria-labelledby": "cross-head" }, el("h2", { id: "cross-head" }, "All against all"), cross.node),
      games.node,
    ),
  );
  useKeys(games.keys);

  function saveMenu() {
    const theme = document.documentElement.dataset.theme;
    const links = [
      ...first.formats.map((kind) => [`${path}/all/${kind}`, FORMATS[kind] ?? kind, `tournament-${id}.${kind}`]),
      [`${path}/table.svg?theme=${theme}`, "Picture of the table (SVG)", `tournament-${id}.svg`],
    ];
    return el(
      "details",
      { class: "menu", "data-testid": "tournament-save" },
      el("summary", { class: "button" }, "Save"),
      el("div", { class: "menu-box card" }, el("ul", { class: "plain-list" }, links.map(([href, label, download]) => el("li", {}, el("a", { class: "button button-plain", href, download }, label))))),
    );
  }

  function take(table) {
    clear(pill, tablePill(table));
    setText(far, progressText(table));
    bar.value = table.games ? table.played / table.games : 0;
    setText(about, `Openings: ${openingsText(table.openings)}. Each is played twice, with sides swapped.`);
    setText(drawn, `--openings ${table.openings} --seed ${table.seed}`);
    const reasons = Object.entries(table.failures);
    failures.hidden = !reasons.length;
    clear(failures, reasons.map(([reason, count]) => el("li", {}, `${count} game${count > 1 ? "s" : ""} ended because ${reason}`)));
    setText(test, table.test ? testText(table.test) : "");
    test.hidden = !table.test;
    games.show(table);
    ratings.show(table);
    setText(verdict, verdictText(table));
    cross.show(table);
    job.show(table.job);
  }

  function testText({ elo0, elo1, llr, lower, upper, decision }) {
    return `Sequential test: stronger by ${elo1} Elo or only by ${elo0}? ${decision}. The log-likelihood ratio is ${llr.toFixed(2)}; the test ends at ${lower.toFixed(2)} or ${upper.toFixed(2)}.`;
  }

  async function open(i, j, how) {
    cross.mark(`${i}-${j}`);
    await games.open(i, j, how);
  }

  take(first);
  const [, i, j, game, ply] = /^(\d+)-(\d+)(?:\.(\d+)\.(\d+))?$/.exec(more) ?? [];
  const known = [i, j].every((one) => Number(one) < first.players.length) && i !== j;
  if (i !== undefined && known) {
    await open(Number(i), Number(j));
    if (game !== undefined) await games.step(Number(game), Number(ply));
  }
  const unwatch = connection.watch(`tournament:${id}`, take, (wrong) => setText(trouble, wrong.message));
  return () => {
    unwatch();
    job.stop();
  };
}
