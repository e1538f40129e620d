/* Jobs: everything long that runs or has run here, from the page or from the command line. */

import { clear, el } from "../../dom.js";
import { isOver, jobCard, span, statePill } from "../../jobs.js";
import { ask } from "../../talk.js";
import { ago } from "../shared/words.js";

const STARTS = [
  ["#/proofs/run", "a proof"],
  ["#/train", "training"],
  ["#/tournaments", "a tournament"],
  ["#/truth", "tables of Choko"],
];

export async function show(root, { id, talk, join }) {
  return id ? showOne(root, id, { talk, join }) : showAll(root, { talk, join });
}

async function showOne(root, id, { talk, join }) {
  const job = await ask(`/api/jobs/${encodeURIComponent(id)}`);
  const place = el("div");
  const back = () => (location.hash = "#/jobs");
  root.append(
    el("div", { class: "row row-apart page-head" }, el("h1", {}, job.title), el("a", { class: "button", href: "#/jobs" }, "All jobs")),
    el("p", { class: "note" }, about(job)),
    place,
    elsewhere(job),
  );
  const card = jobCard(job, { talk, join, open: true, heading: null, onGone: back });
  place.append(card);
  return card.stop;
}

function about(job) {
  const who = job.by === "page" ? "Started from the page" : "Started from the command line";
  return job.began ? `${who}, ${ago(job.began)}.` : "";
}

/** The page that shows what the job makes, unless it is this one. */
function elsewhere(job) {
  if (job.link.startsWith("#/jobs")) return null;
  return el("p", {}, el("a", { href: job.link, "data-testid": "job-link" }, "See what it makes"));
}

async function showAll(root, { talk, join }) {
  const note = el(
    "p",
    { class: "note" },
    "Nothing is running now. Start something: ",
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
      "Proofs, training, tournaments and tables take their time. They go on while you look at other pages, " +
        "and those that can go on after the lab was closed do so when it is opened again.",
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
      const card = jobCard(job, { talk, join, heading: "h2" });
      cards.set(job.id, card);
      running.prepend(card);
    }
    overHead.hidden = !rest.length;
    clear(over, rest.map(line));
  }

  take((await ask("/api/jobs")).jobs);
  const unwatch = talk.watch("jobs", (message) => take(message.jobs));
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
