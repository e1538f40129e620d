/* Papers: their claims, the paper's figures, ours, and the commands that made them.
   #/papers lists them, #/papers/NAME shows one. */

import { button, clear, el, setText } from "../../dom.js";
import { isOver, jobCard, span, startJob } from "../../jobs.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { inline, sections } from "./text.js";

const VERDICTS = { holds: "yes", "does not hold": "no", "not decided": "open" };

export async function show(root, { id, connection, join }) {
  const { papers } = await ask("/api/papers");
  const known = papers.find((paper) => paper.name === id);
  if (!known) return overview(root, papers);
  return onePaper(root, papers, await ask(`/api/papers/${id}`), { connection, join });
}

function overview(root, papers) {
  root.append(
    el("h1", {}, "Papers"),
    el("p", { class: "lead" }, "Playproof builds on four papers. Every claim that can be checked is one command, and is shown here beside our result."),
    el("p", { class: "note" }, "Choose a paper to see its claims; some can be run from its page. The commands are for a terminal; after make lab, playproof is .venv/bin/playproof."),
    el(
      "ul",
      { class: "papers" },
      papers.map((paper) =>
        el(
          "li",
          { class: "card stack-small" },
          el("h2", {}, el("a", { href: `#/papers/${paper.name}`, "data-testid": `paper-${paper.name}` }, paper.title)),
          el("p", { class: "note" }, paper.authors),
          el("p", {}, paper.about),
          command(paper.command),
        ),
      ),
    ),
  );
  return null;
}

/** A command to copy. */
function command(text) {
  const copy = button("Copy", copied, { class: "button-plain", "aria-label": `Copy the command ${text}` });
  async function copied() {
    try {
      await navigator.clipboard.writeText(text);
      setText(copy, "Copied");
    } catch {
      notify("The browser does not allow copying. Select the line instead.");
    }
  }
  // An option does not break after its first hyphen.
  const words = text.split(/(?<= )/).map((word) => (word.startsWith("-") ? el("span", { class: "option" }, word) : word));
  return el("div", { class: "job-command no-print" }, el("code", { class: "mono" }, words), copy);
}

function onePaper(root, papers, paper, { connection, join }) {
  const cards = [];
  const places = new Map(); // where the outcome of each run is shown: run -> {box, button}
  document.title = `${paper.title} – Playproof`;

  root.append(
    el(
      "nav",
      { class: "rules-nav no-print", "aria-label": "Papers" },
      papers.map((one) =>
        el("a", { class: "button", href: `#/papers/${one.name}`, "aria-current": one.name === paper.name ? "page" : null }, short(one)),
      ),
    ),
    el(
      "header",
      { class: "stack-small paper-head" },
      el("h1", {}, paper.title),
      el("p", { class: "note" }, paper.authors),
      el("p", { class: "lead" }, paper.about),
      command(paper.command),
    ),
    ...(paper.quick.length ? [quickPart()] : []),
    claimsPart(),
    el(
      "section",
      { class: "card stack-small", "aria-labelledby": "page-head" },
      el("h2", { id: "page-head" }, "The whole report"),
      el("p", { class: "note" }, "The page of our documentation on this paper: the method, all tables, and how we read unclear passages."),
      sections(paper.page),
    ),
  );

  function quickPart() {
    return el(
      "section",
      { class: "card stack-small", "aria-labelledby": "quick-head" },
      el("h2", { id: "quick-head" }, "Run it now"),
      el(
        "ul",
        { class: "plain-list quick" },
        paper.quick.map((part) =>
          el(
            "li",
            { class: "stack-small", "data-testid": `run-part-${part.run}` },
            el(
              "div",
              { class: "row row-apart" },
              el("span", {}, el("strong", {}, part.label), el("span", { class: "note" }, ` takes ${part.takes}`)),
              runButton(part.run, part.label),
            ),
            command(part.command),
            outcomeBox(part.run),
          ),
        ),
      ),
    );
  }

  function claimsPart() {
    return el(
      "section",
      { class: "card stack-small", "aria-labelledby": "claims-head" },
      el("h2", { id: "claims-head" }, paper.claims.some((one) => one.run) ? "Claim by claim" : "Side by side"),
      paper.words && el("p", { class: "note" }, paper.words),
      el("ul", { class: "claims", "data-testid": "claims" }, paper.claims.map(claimItem)),
    );
  }

  function claimItem(claim) {
    const theirs = claim.paper || (claim.paper_seconds ? "" : "not in the paper");
    const time = claim.paper_seconds ? ` in ${claim.paper_seconds.toLocaleString("en")} s` : "";
    const mark = VERDICTS[claim.verdict];
    return el(
      "li",
      { class: "claim", "data-testid": `claim-${claim.name}` },
      el("div", { class: "row row-apart" }, el("h3", {}, inline(claim.says)), mark && el("span", { class: `pill verdict-${mark}` }, claim.verdict)),
      el(
        "dl",
        { class: "figures" },
        el("div", {}, el("dt", {}, "Paper"), el("dd", {}, theirs, time)),
        el("div", {}, el("dt", {}, "Ours"), el("dd", { "data-testid": `ours-${claim.name}` }, claim.ours ? inline(claim.ours) : "not recorded")),
      ),
      claim.command &&
        el("div", { class: "row claim-deeds no-print" }, command(claim.command), claim.run && runButton(claim.run, claim.says)),
      claim.run && outcomeBox(claim.run),
    );
  }

  function runButton(run, what) {
    if (join.owner === false) return null;
    const knob = button("Run it now", () => begin(run), { testid: `run-${run}`, "aria-label": `Run it now: ${what}` });
    places.set(run, { ...places.get(run), knob });
    return knob;
  }

  function outcomeBox(run) {
    const box = el("div", { class: "outcome", role: "status", "data-testid": `outcome-${run}` });
    places.set(run, { ...places.get(run), box });
    return box;
  }

  async function begin(run) {
    const job = await startJob(`/api/papers/${paper.name}/run`, { run });
    if (job) watch(run, job);
  }

  /** A job at its claim: its card while it runs, then its result. */
  function watch(run, job) {
    const { box, knob } = places.get(run);
    if (knob) knob.setAttribute("aria-disabled", "true");
    const card = jobCard(job, { connection, join, heading: "h4", onEnd: () => ended(run, card) });
    cards.push(card);
    clear(box, card);
  }

  async function ended(run, card) {
    const { box, knob } = places.get(run);
    knob?.removeAttribute("aria-disabled");
    const { runs } = await ask(`/api/papers/${paper.name}`);
    if (runs[run]?.outcome) {
      card.stop();
      clear(box, outcomeText(runs[run].outcome));
    } else card.querySelector("[data-testid=job-log-fold]")?.setAttribute("open", "");
  }

  function outcomeText(outcome) {
    const holds = outcome.holds === true ? "holds" : outcome.holds === false ? "does not hold" : "an estimate";
    const mark = outcome.holds === true ? "yes" : outcome.holds === false ? "no" : "open";
    const time = outcome.seconds < 1 ? "under a second" : span(outcome.seconds);
    return el("p", {}, el("span", { class: `pill verdict-${mark}` }, holds), ` Run here in ${time}: `, outcome.found);
  }

  async function recall() {
    for (const [run, last] of Object.entries(paper.runs)) {
      if (!places.get(run)?.box) continue;
      if (last.outcome) clear(places.get(run).box, outcomeText(last.outcome));
      else if (!isOver(last) || paper.quick.some((part) => part.run === run)) {
        const job = await ask(`/api/jobs/${last.job}`).catch(() => null);
        if (job) watch(run, job);
        if (job && isOver(job)) places.get(run).knob?.removeAttribute("aria-disabled");
      }
    }
  }

  recall();
  return () => {
    for (const card of cards) card.stop();
  };
}

const SHORT = { othello33: "Othello", chokozero: "Choko", "quantum-go": "Quantum Go", "rl-chess": "Chess" };

function short(paper) {
  return SHORT[paper.name] ?? paper.title;
}
