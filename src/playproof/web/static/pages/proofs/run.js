/* Run a proof: statements to choose from, your own question, and the proofs that were run. */

import { button, choice, clear, el, field } from "../../dom.js";
import { span, startJob, STATES } from "../../jobs.js";
import { confirmed, notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { ago } from "../shared/words.js";
import { megabytes } from "./words.js";

const CAME = {
  yes: "Yes: found",
  no: "No: refuted",
  verified: "Verified",
  rejected: "Rejected",
};

export async function show(root, { connection, join, overview }) {
  const may = join?.owner !== false;
  const problem = el("p", { class: "problem", role: "alert", "data-testid": "run-problem" }, overview.problem ?? "");
  const start = el("button", { class: "button button-main", type: "submit", "data-testid": "prove" }, "Prove it");
  start.disabled = Boolean(overview.problem) || !may;
  const own = custom(overview.custom);
  const offers = [
    ...overview.offers,
    {
      name: "custom",
      title: "A question of your own",
      about: "Is there a position of Othello with at least so many legal moves and empty squares?",
      takes: "seconds to hours",
    },
  ];
  const form = el(
    "form",
    {
      class: "stack",
      onsubmit: async (event) => {
        event.preventDefault();
        const statement = new FormData(form).get("statement");
        const fields = statement === "custom" ? own.fields() : {};
        start.disabled = true;
        const job = await startJob("/api/proofs/run", { statement, ...fields });
        start.disabled = false;
        if (job) location.hash = `#/proofs/${job.id}`;
      },
      onchange: () => own.open(new FormData(form).get("statement") === "custom"),
    },
    el(
      "fieldset",
      { class: "stack-small" },
      el("legend", { class: "unseen" }, "The statement to prove"),
      el("div", { class: "proof-offers" }, offers.map(offer)),
    ),
    own.node,
    !may && el("p", { class: "note" }, "Only the owner of the lab can start proofs. You can view those that were run."),
    el("div", { class: "row" }, start),
  );
  const list = el("div", { class: "stack-small", "data-testid": "proofs-list" });
  const kept = el("div", { class: "stack-small", "data-testid": "certificates" });
  root.append(
    el(
      "p",
      { class: "proof-lead" },
      "A solver is a program for puzzles with thousands of conditions: is there a way to fill everything in so that all of them hold? Here the puzzle is a board position. If there is such a position, it is shown. If there is none, the solver must write down why, step by step, and a small program that is not a solver checks each step.",
    ),
    problem,
    el("section", { class: "card", "aria-label": "Choose a statement" }, form),
    el("section", { class: "card stack-small", "aria-labelledby": "ran-head" }, el("h2", { id: "ran-head" }, "Proofs that were run here"), list),
    el("section", { class: "card stack-small", "aria-labelledby": "kept-head" }, el("h2", { id: "kept-head" }, "Certificates kept here"), kept),
  );

  function fillLists({ proofs, certificates }) {
    clear(
      list,
      proofs.length ? el("ul", { class: "plain-list" }, proofs.map(ran)) : el("p", { class: "note" }, "Nothing yet."),
    );
    clear(
      kept,
      certificates.length
        ? el("ul", { class: "plain-list" }, certificates.map((one) => certificate(one, may, remove)))
        : el("p", { class: "note" }, "None yet. A proof that refutes a statement leaves one."),
    );
  }

  async function remove(name) {
    if (!(await confirmed(`Delete the certificate ${name}?`, "Delete"))) return;
    try {
      await ask(`/api/proofs/certificates/${name}/delete`, {});
      fillLists(await ask("/api/proofs"));
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  fillLists(overview);
  let seen = null; // a proof that starts or ends changes the lists
  return connection.watch("jobs", async ({ jobs }) => {
    const now = jobs.filter(({ kind }) => kind === "prove" || kind === "check").map(({ id, state }) => `${id} ${state}`).join();
    if (seen !== null && now !== seen) fillLists(await ask("/api/proofs").catch(() => overview));
    seen = now;
  });
}

function offer(one, i) {
  return el(
    "label",
    { class: "proof-offer", "data-testid": `offer-${one.name}` },
    el("input", { type: "radio", name: "statement", value: one.name, checked: i === 0 }),
    el(
      "span",
      { class: "stack-small" },
      el("strong", {}, one.title),
      el("span", {}, one.about),
      el("span", { class: "note" }, one.takes),
    ),
  );
}

function custom(limits) {
  const number = (name, value) => el("input", { name, type: "number", min: "0", value: String(value), inputmode: "numeric", "data-testid": `custom-${name}` });
  const moves = number("moves", 34);
  const empties = number("empties", 37);
  const size = choice(limits.sizes.map((one) => [String(one), `${one}×${one}`]), "8", fit, { name: "size", "data-testid": "custom-size" });
  const minutes = choice(
    limits.minutes.map((one) => [String(one), one === 1 ? "1 minute" : `${one} minutes`]),
    String(limits.minutes[0]),
    null,
    { name: "minutes" },
  );

  function fit() {
    for (const box of [moves, empties]) {
      const most = limits.squares[size.value];
      box.max = String(most);
      if (Number(box.value) > most) box.value = String(most);
    }
  }

  moves.min = "1";
  fit();
  const node = el(
    "fieldset",
    { class: "two", hidden: true },
    el("legend", { class: "unseen" }, "The question"),
    field("Legal moves, at least", moves),
    field("Empty squares, at least", empties),
    field("Board", size),
    field("Give up after", minutes, "Long refutations write large proofs."),
  );
  return {
    node,
    open: (on) => {
      node.hidden = !on;
    },
    fields: () => ({
      moves: Number(moves.value),
      empties: Number(empties.value),
      size: Number(size.value),
      minutes: Number(minutes.value),
    }),
  };
}

function ran(one) {
  const came = one.state === "done" || one.came ? (CAME[one.came] ?? STATES[one.state]) : STATES[one.state];
  return el(
    "li",
    { class: "row row-apart proof-row" },
    el("a", { href: `#/proofs/${one.id}`, class: "grow proof-link" }, one.title),
    el("span", { class: "note" }, `${ago(one.began)}, ${span(one.seconds)}`),
    el("span", { class: "pill" }, came),
  );
}

function certificate(one, may, remove) {
  const parts = one.parts === 1 ? "" : `, ${one.parts} parts`;
  return el(
    "li",
    { class: "row row-apart proof-row" },
    el("span", { class: "grow mono proof-name" }, one.name),
    el("span", { class: "note" }, `${megabytes(one.bytes)}${parts}`),
    el("a", { class: "button", href: `/api/proofs/certificates/${one.name}.zip`, download: "", "aria-label": `Download ${one.name}` }, "Download"),
    may && button("Check", () => checkKept(one.name), { "aria-label": `Check ${one.name}` }),
    may && button("Delete", () => remove(one.name), { class: "button-danger", "aria-label": `Delete ${one.name}` }),
  );
}

/** Checks a certificate that is kept here, and opens the check. */
export async function checkKept(name) {
  const job = await startJob(`/api/proofs/certificates/${name}/check`);
  if (job) location.hash = `#/proofs/${job.id}`;
}
