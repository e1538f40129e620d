/* One proof, or one check of a certificate: its steps as they happen, and its outcome. */

import { button, clear, el, setText } from "../../dom.js";
import { isOver, jobCard } from "../../jobs.js";
import { ask } from "../../connection.js";
import { stillBoard } from "./frames.js";
import { levelsFigure } from "./levels.js";
import { checkKept } from "./run.js";
import { CHECKS, checkRows, checksTable, partsTable } from "./tables.js";
import { counted, megabytes } from "./words.js";

export async function show(root, { id, connection, join, belongs }) {
  const first = await ask(`/api/proofs/jobs/${encodeURIComponent(id)}`);
  belongs(first.job.kind === "check" ? "check" : "run");
  const may = join?.owner !== false;
  const title = el("h2", { "data-testid": "proof-title" });
  const verdict = el("p", { class: "proof-verdict", role: "status", "data-testid": "proof-verdict" });
  const steps = el("ol", { class: "proof-steps", "data-testid": "proof-steps" });
  const links = el("div", { class: "row no-print", "data-testid": "proof-links" });
  const witness = el("div", { "data-testid": "witness" });
  const levels = el("div", {});
  const tables = el("div", { class: "stack-small" });
  const card = jobCard(first.job, { connection, join, onGone: () => location.replace("#/proofs/run") });
  const board = stillBoard({ "data-testid": "witness-board" });
  let figure = null;
  let drawn = ""; // what the slower parts of the page show, to rebuild them only when it changes

  root.append(
    el("section", { class: "card stack", "aria-labelledby": "proof-head" }, title, verdict, links, steps, witness, levels, tables),
    card,
    el("p", { class: "note" }, first.job.kind === "check" ? el("a", { href: "#/proofs/check" }, "Check another") : el("a", { href: "#/proofs/run" }, "Other proofs"), " · ", el("a", { href: "#/proofs/trust" }, "What is trusted")),
  );
  title.id = "proof-head";

  function paint(proof) {
    setText(title, proof.job.title);
    const outcome = verdictOf(proof);
    setText(verdict, outcome.text);
    verdict.className = `proof-verdict proof-${outcome.mood}`;
    fillSteps(steps, stepsOf(proof));
    const key = JSON.stringify([proof.certificate, proof.witness?.position, proof.levels, proof.parts, proof.checks, proof.checked]);
    if (key === drawn) return;
    drawn = key;
    fillLinks(proof);
    fillWitness(proof);
    fillLevels(proof);
    clear(tables, partsTable(proof), checksTable(proof));
  }

  function fillLinks(proof) {
    const name = proof.certificate;
    clear(
      links,
      name && el("a", { class: "button button-main", href: `/api/proofs/certificates/${name}.zip`, download: "", "data-testid": "download" }, "Download the certificate (.zip)"),
      name && may && button("Check it now", () => checkKept(name), { testid: "check-now" }),
    );
    links.hidden = !links.childElementCount;
  }

  function fillWitness(proof) {
    clear(witness);
    if (!proof.witness?.view) return;
    board.view = proof.witness.view;
    witness.append(
      el("h3", {}, `A position with ${proof.witness.moves} moves, numbered`),
      el("div", { class: "proof-board" }, board),
      el("p", { class: "mono proof-record" }, proof.witness.position),
    );
  }

  function fillLevels(proof) {
    figure?.stop();
    figure = proof.levels ? levelsFigure(proof.levels.counts) : null;
    clear(levels, figure && [el("h3", {}, "Taken back, disc by disc"), figure.node]);
  }

  paint(first);
  const unwatch = connection.watch(
    `proof:${id}`,
    ({ proof }) => paint(proof),
    () => {},
  );
  return () => {
    unwatch();
    card.stop();
    figure?.stop();
  };
}

/** The outcome in a sentence; `mood` is good, bad or open. */
export function verdictOf(proof) {
  const { job, answer, verdict } = proof;
  if (verdict && !verdict.verified) return { mood: "bad", text: `NOT VERIFIED. ${objection(proof)}` };
  if (job.kind === "check") {
    if (verdict) return { mood: "good", text: `Verified: ${nothing(verdict)}.${assumed(verdict)}` };
    return waiting(proof, "Checking …");
  }
  if (answer?.status === "sat") return { mood: "good", text: "Yes, there is one." };
  if (answer?.status === "unsat" && verdict)
    return { mood: "good", text: `Proved, and the proof was checked: ${nothing(verdict)}.${assumed(verdict)}` };
  if (answer?.status === "unsat" && isOver(job))
    return { mood: "good", text: `No: the solver has refuted it. ${job.state === "done" ? "Its answer was not checked." : job.error}`.trim() };
  return waiting(proof, "Working …");
}

function waiting({ job }, text) {
  if (job.state === "waiting") return { mood: "open", text: "It begins when another job has ended." };
  if (!isOver(job)) return { mood: "open", text };
  if (job.state === "done") return { mood: "open", text: "Done." };
  const why = { cancelled: "It was stopped before the end.", interrupted: "It was interrupted before the end." };
  return { mood: "bad", text: why[job.state] ?? job.error };
}

/** The claim of a certificate: a statement's sentence says what does not exist, a theorem's is true. */
function nothing({ title, theorem }) {
  return theorem ? title : `there is no such thing as ${title}`;
}

/** What a claim assumes beyond its sentence. */
function assumed({ assumes }) {
  return assumes?.length ? ` Assumed: ${assumes.join("; ")}.` : "";
}

function objection({ checks, checked, job }) {
  const bad = checks.find((one) => one.passed === false);
  if (bad) return `${CHECKS[bad.check] ?? bad.check}: ${bad.detail}.`;
  const part = checked.find((one) => one.detail);
  return part ? `Part ${part.part}, ${part.detail}.` : job.error;
}

/** The steps of a proof: [{state: done|now|next|bad|off, head, text}]. */
function stepsOf(proof) {
  const { job, formula, answer, verdict, checking } = proof;
  if (job.kind === "check") return [checkStep(proof), verdictStep(proof)];
  const over = isOver(job);
  const many = proof.of > 1 || proof.theorem;
  const solved = answer && (!proof.theorem || proof.parts.length >= proof.of || checking);
  const steps = [
    { state: "done", head: "The question", text: question(proof) },
    ...proof.found.map(findingStep),
  ];
  if (!many) {
    steps.push({
      state: formula ? "done" : over ? "off" : "now",
      head: "As a formula",
      text: formula
        ? `${counted(formula.variables)} yes-or-no unknowns (variables) and ${counted(formula.clauses)} conditions (clauses). It is built by the same functions that play the game.`
        : "The rules are turned into yes-or-no unknowns and conditions.",
    });
  }
  steps.push({
    state: solved ? "done" : over ? "off" : formula || many ? "now" : "next",
    head: "Solving",
    text: solving(proof, solved),
  });
  if (answer?.status === "unsat" || (!answer && !over)) {
    if (checking || !over || verdict) steps.push(checkStep(proof));
  }
  steps.push(verdictStep(proof));
  return steps;
}

const FINDINGS = [
  [/^constructible sets/, "Which squares?", "These sets can be filled from the centre, and coloured so that one side has that many moves."],
  [/^colourings/, "Which colours?", "This many positions on these squares have that many moves."],
  [/^retrograde levels/, "Where do they come from?", "The numbers of positions one disc earlier, two discs earlier, and so on. At 0 nothing is left."],
];

/** A result of the search for reachable positions, in plain words. */
function findingStep(text) {
  const [, head, about] = FINDINGS.find(([start]) => start.test(text)) ?? [null, "Found", ""];
  return { state: "done", head, text: `${sentence(text)} ${about}`.trim() };
}

function question({ question, theorem, answer }) {
  const asQuestion = `Is there ${question.replace(/^there is no /, "a ")}?`;
  const plain = /^(a|an) /.test(question) ? asQuestion : sentence(question);
  return theorem && answer ? `${plain} To be refuted in parts: ${theorem}.` : plain;
}

function sentence(text) {
  const whole = text[0].toUpperCase() + text.slice(1);
  return /[.?!]$/.test(whole) ? whole : `${whole}.`;
}

function solving({ live, answer, parts, of, proof, theorem }, solved) {
  const figures = answer && solved ? answer : { seconds: live.solving, conflicts: live.conflicts };
  const details = [];
  if (of > 1) details.push(`${parts.length || (solved ? of : 0)} of ${of} parts refuted`);
  if (figures.seconds !== undefined) details.push(`${figures.seconds.toFixed(1)} s`);
  if (figures.conflicts) details.push(`${counted(figures.conflicts)} conflicts, which are dead ends of the solver's search${of > 1 ? ", in all parts" : ""}`);
  const bytes = proof?.bytes ?? live.proof_bytes;
  if (bytes) details.push(`proof of ${megabytes(bytes)}`);
  if (answer?.solver && solved) details.push(`by ${answer.solver}`);
  const line = details.length ? `${details.join(", ")}.` : "The solver looks for a way to satisfy all conditions.";
  if (!solved || (theorem && !parts.length)) return line;
  return `${line} ${answer.status === "sat" ? "The solver found one." : "The solver says that there is none."}`;
}

function checkStep(proof) {
  const { job, checks, checked, checking, verdict, of } = proof;
  const done = checks.filter((one) => one.passed !== null).length;
  const share = job.total ? `${Math.round((100 * job.done) / job.total)} %` : "";
  let text = "A program that is not a solver goes through the proof, step by step.";
  if (verdict) text = verdict.theorem ? `${verdict.good} of ${verdict.parts} parts are verified. ${checksMade(checkRows(proof))}` : checksMade(checkRows(proof));
  else if (checking && !isOver(job)) {
    const label = job.label.replace("checking: ", "");
    text = `${checked.length ? `${checked.length}${of > 1 ? ` of ${of}` : ""} parts checked. ` : ""}Now: ${label} ${share}`;
  }
  const bad = verdict && !verdict.verified;
  const state = bad ? "bad" : verdict ? "done" : checking ? (isOver(job) ? "off" : "now") : job.kind === "check" && !isOver(job) ? "now" : "next";
  return { state, head: done || checking || job.kind === "check" ? "Checking" : "Checking, once it is solved", text };
}

/** Which checks were run and which were not, by name, with the reason if there is one. */
function checksMade(checks) {
  const name = (one) => CHECKS[one.check] ?? one.check;
  const off = checks.filter((one) => one.passed === null);
  const made = checks.filter((one) => one.passed !== null);
  if (!off.length) return `All ${made.length} checks were run: ${made.map(name).join(", ")}.`;
  const why = off.map((one) => (one.why ? `${name(one)} (${one.why})` : name(one)));
  return `${made.length} of ${checks.length} checks were run: ${made.map(name).join(", ") || "none"}. Not run: ${why.join(", ")}.`;
}

function verdictStep(proof) {
  const outcome = verdictOf(proof);
  const state = outcome.mood === "good" ? "done" : outcome.mood === "bad" ? "bad" : "next";
  return { state, head: "Verdict", text: outcome.mood === "open" ? "To come." : outcome.text };
}

const SIGNS = {
  done: ["✓", "done"],
  now: ["…", "now"],
  next: ["○", "to come"],
  bad: ["✗", "failed"],
  off: ["–", "not done"],
};

/** Changes only what differs, so that nothing flickers and screen readers announce only changes. */
function fillSteps(list, steps) {
  while (list.childElementCount > steps.length) list.lastChild.remove();
  steps.forEach(({ state, head, text }, i) => {
    let item = list.children[i];
    if (!item) {
      item = el("li", {}, el("span", { class: "proof-sign", "aria-hidden": "true" }), el("div", {}, el("strong", {}), el("span", { class: "unseen" }), el("p", {})));
      list.append(item);
    }
    item.className = `proof-step proof-step-${state}`;
    setText(item.querySelector(".proof-sign"), SIGNS[state][0]);
    setText(item.querySelector("strong"), head);
    setText(item.querySelector(".unseen"), ` (${SIGNS[state][1]})`);
    setText(item.querySelector("p"), text);
  });
}
