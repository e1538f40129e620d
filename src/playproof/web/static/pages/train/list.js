/* The list of runs, a form to start a small one, and the choice of runs to compare. */

import { button, clear, el, setText } from "../../dom.js";
import { ask } from "../../connection.js";
import { onJobChanges } from "../shared/job_changes.js";
import { ago } from "../shared/words.js";
import { startForm } from "./start.js";
import { runAbout, runPill, runProgress, runScores } from "./words.js";

const PAUSE = 1500; // milliseconds between updates while a run is being trained
const MOST = 8; // runs that can be compared

export async function showRuns(root, { connection, join }) {
  const chosen = new Set();
  const list = el("ul", { class: "runs", "data-testid": "runs" });
  const note = el("p", { class: "note", role: "status", "data-testid": "runs-note" });
  const compare = button("Compare", () => (location.hash = `#/train/compare/${[...chosen].join(",")}`), {
    testid: "compare",
  });
  const first = await ask("/api/runs");
  const form = startForm(first.recipes, { owner: join?.owner !== false });
  root.append(
    el("div", { class: "row row-apart page-head" }, el("h1", {}, "Train")),
    el(
      "p",
      {},
      "A net is a table of numbers that turns a position into a choice of moves. At first the numbers are " +
        "random. The net plays, sees who wins, and its numbers are changed a little, thousands of times. Here " +
        "you can watch that happen.",
    ),
    el(
      "div",
      { class: "train-top" },
      form.node,
      el(
        "section",
        { class: "stack", "aria-labelledby": "runs-head" },
        el("div", { class: "row row-apart" }, el("h2", { id: "runs-head" }, "Runs"), compare),
        note,
        list,
      ),
    ),
  );

  let timer = null;
  let rendered = "";

  function take(answer) {
    const { runs } = answer;
    form.update(answer.recipes);
    setText(
      note,
      runs.length
        ? "Choose two or more to compare them."
        : "No runs yet. Start a small one here, or on the command line with playproof train.",
    );
    for (const id of [...chosen]) if (!runs.some((run) => run.id === id)) chosen.delete(id);
    const next = JSON.stringify(runs.map(({ updated, ...rest }) => rest));
    if (next !== rendered) {
      rendered = next;
      const focus = document.activeElement?.closest?.("[data-run]")?.dataset.run;
      clear(list, runs.map(item));
      if (focus) list.querySelector(`[data-run="${CSS.escape(focus)}"] input`)?.focus({ preventScroll: true });
    }
    count();
    clearTimeout(timer);
    if (runs.some((run) => run.state === "running" || run.state === "waiting")) timer = setTimeout(refresh, PAUSE);
  }

  function count() {
    compare.setAttribute("aria-disabled", String(chosen.size < 2));
    setText(compare, chosen.size < 2 ? "Compare" : `Compare ${chosen.size}`);
    for (const box of list.querySelectorAll("input")) box.disabled = !box.checked && chosen.size >= MOST;
  }
  compare.addEventListener("click", (event) => chosen.size < 2 && event.stopImmediatePropagation(), { capture: true });

  function item(run) {
    const box = el("input", {
      type: "checkbox",
      checked: chosen.has(run.id),
      "data-testid": `choose-${run.id}`,
      onchange: () => {
        if (box.checked) chosen.add(run.id);
        else chosen.delete(run.id);
        count();
      },
    });
    return el(
      "li",
      { class: "card stack-small", dataset: { run: run.id }, "data-testid": `run-${run.id}` },
      el("div", { class: "run-head" }, el("h3", {}, el("a", { href: `#/train/${encodeURIComponent(run.id)}` }, run.name)), runPill(run)),
      el("p", {}, runAbout(run)),
      el("progress", { class: "job-bar", max: 1, value: run.of ? run.iterations / run.of : 0, "aria-label": `Progress of ${run.name}` }),
      el("p", { class: "note" }, runProgress(run)),
      runScores(run).map((text) => el("p", { class: "note" }, text)),
      run.fault && el("p", { class: "problem" }, run.fault),
      el(
        "div",
        { class: "row row-apart" },
        el("label", { class: "check no-print" }, box, el("span", {}, "Compare", el("span", { class: "unseen" }, ` ${run.name}`))),
        run.updated !== null && el("span", { class: "note" }, ago(Date.now() / 1000 - run.updated)),
      ),
    );
  }

  async function refresh() {
    try {
      take(await ask("/api/runs"));
    } catch {
      timer = setTimeout(refresh, 2 * PAUSE); // the banner at the top says what is wrong
    }
  }

  take(first);
  const unwatch = onJobChanges(connection, refresh);
  return () => {
    clearTimeout(timer);
    unwatch();
  };
}
