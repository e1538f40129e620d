/* The Proofs page: 33 moves in Othello, why never 34, proofs to run, certificates to check.

   #/proofs/33/RECORD/STEP, /all/RECORD/STEP, /lemma/EXAMPLE/STEP, /run, /levels/CANDIDATE/LEVEL, /check, /trust,
   and #/proofs/ID for a proof or a check, which is a job. */

import { clear, el } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { ask } from "../../connection.js";

const SECTIONS = {
  33: ["33 moves", () => import("./33.js")],
  all: ["All of them", () => import("./all.js")],
  lemma: ["The lemma", () => import("./lemma.js")],
  levels: ["Backwards", () => import("./levels.js")],
  run: ["Run a proof", () => import("./run.js")],
  check: ["Check a certificate", () => import("./check.js")],
  trust: ["What is trusted", () => import("./trust.js")],
};
const ONE = () => import("./proof.js"); // any other name is the id of a job

export async function show(root, { id, more, connection, join }) {
  const body = el("div", { class: "stack", "data-testid": "proofs-body" });
  const links = Object.entries(SECTIONS).map(([name, [label]]) =>
    el("a", { class: "button", href: `#/proofs/${name}`, "data-testid": `to-${name}` }, label),
  );
  root.append(
    el("h1", {}, "Proofs"),
    el("nav", { class: "rules-nav no-print", "aria-label": "Parts of this page" }, links),
    body,
  );
  let leave = null;
  let turn = 0;
  let shown = null;

  /** Marks the link to the part that is shown. */
  function belongs(name) {
    for (const link of links) {
      if (link.hash === `#/proofs/${name}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  async function go({ id, more }) {
    const mine = ++turn;
    const name = id ?? "33";
    const another = shown !== null && shown !== name;
    shown = name;
    const section = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : null;
    if (section) belongs(name);
    leave?.();
    leave = null;
    useKeys({});
    document.title = `${section ? section[0] : "A proof"} – Proofs – Playproof`;
    try {
      const [part, overview] = await Promise.all([section ? section[1]() : ONE(), ask("/api/proofs")]);
      if (mine !== turn) return;
      clear(body);
      const done = await part.show(body, { id: name, more: more ?? [], connection, join, overview, belongs });
      if (mine !== turn) return done?.();
      leave = done ?? null;
      if (another) scrollTo(0, 0); // another part starts at its top; a choice within a part does not scroll
    } catch (trouble) {
      if (mine !== turn) return;
      clear(body, el("p", { class: "problem", role: "alert" }, trouble.message));
    }
  }

  await go({ id, more });
  const close = () => {
    turn += 1;
    leave?.();
  };
  close.go = go;
  return close;
}
