/* Jobs: long work, running or ended, started in the lab or on the command line. */

import { clear, el } from "../../dom.js";
import { isOver, jobCard, span, statePill } from "../../jobs.js";
import { ask } from "../../connection.js";
import { ago } from "../shared/words.js";

const STARTS = [
  ["#/proofs/run", "a proof"],
  ["#/train", "training"],
  ["#/tournaments", "a tournament"],
  ["#/truth", "tables of Choko"],
];

export async function show(root, { id, connection, join }) {
  return id ? showOne(root, id, { connection, join }) : showAll(root, { connection, join });
}

async function showOne(root, id, { connection, join }) {
  const job = await ask(`/api/jobs/${encodeURIComponent(id)}`);
  const place = el("div");
  const back = () => (location.hash = "#/jobs");
  root.append(
    el("div", { class: "row row-apart page-head" }, el("h1", {}, job.title), el("a", { class: "button", href: "#/jobs" }, "All jobs")),
    el("p", { class: "note" }, about(job)),
    place,
    elsewhere(job),
  );
  const card = jobCard(job, { connection, join, open: true, heading: null, onGone: back });
  place.append(card);
  return card.stop;
}

function about(job) {
  const who = job.by === "page" ? "Started in the lab" : "Started from the command line";
  return job.began ? `${who}, ${ago(job.began)}.` : "";
}

/** The page that shows the job's results, unless it is this one. */
function elsewhere(job) {
  if (job.link.startsWith("#/jobs")) return null;
  return el("p", {}, el("a", { href: job.link, "data-testid": "job-link" }, "Show its results"));
}

async function showAll(root, { connection, join }) {
  const note = el(
    "p",
    { class: "note" },
    "No job is running. Start one: ",
    STARTS.flatMap(([href, label], i) => [i ? ", " : "", el("a", { href }, label)]),
    ".",
  );
  const running = el("div", { class: "job-list", "data-testid": "jobs-running" });
  const over = el("ul", { class: "job-list", "data-testid": "jobs-over" });
  const overHead = el("h2", {}, "Earlier");
  const cards = new Map();
  root.append(
    el("div", { class: "row row-apart page-head" }, el("h1", {}, "Jobs")),
    el(
      "p",
      {},
      "Proofs, training, tournaments and tables take a while. They keep running while you use other pages, " +
        "and those that can be resumed continue when a closed lab is opened again.",
    ),
    note,
    running,
    overHead,
    over,
  );

  function take(jobs) {
    const busy = jobs.filter((job) => !isOver(job));
    const rest = jobs.filter(isOver);
    note.hidden = Boolean(busy.length);
    for (const [id, card] of cards) {
      if (busy.some((job) => job.id === id)) continue;
      card.stop();
      card.remove();
      cards.delete(id);
    }
    for (const job of [...busy].reverse()) {
      if (cards.has(job.id)) continue;
      const card = jobCard(job, { connection, join, heading: "h2" });
      cards.set(job.id, card);
      running.prepend(card);
    }
    overHead.hidden = !rest.length;
    clear(over, rest.map(line));
  }

  take((await ask("/api/jobs")).jobs);
  const unwatch = connection.watch("jobs", (message) => take(message.jobs));
  return () => {
    unwatch();
    for (const card of cards.values()) card.stop();
  };
}

function line(job) {
  return el(
    "li",
    { class: "card job-line", "data-testid": `job-${job.id}` },
    el(
      "div",
      { class: "grow stack-small" },
      el("a", { href: `#/jobs/${job.id}` }, job.title),
      el("span", { class: "note" }, [job.began && ago(job.began), span(job.seconds), job.error].filter(Boolean).join(" · ")),
    ),
    statePill(job),
  );
}
