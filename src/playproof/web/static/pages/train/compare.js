/* Several runs compared: their curves in the same charts, their figures and settings that differ. */

import { clear, el } from "../../dom.js";
import { ask } from "../../connection.js";
import { charts, sample } from "./chart.js";
import { written } from "./scale.js";
import { runPill, runProgress, settingText } from "./words.js";

const PAUSE = 2000; // milliseconds between updates while one of the runs is being trained

export async function showCompared(root, { names }) {
  const picture = charts();
  const legend = el("ul", { class: "legend card", "aria-label": "Lines", "data-testid": "legend" });
  const differ = el("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": "Settings that differ", "data-testid": "differ" });
  const figures = el("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": "Figures" });
  const together = el("input", { type: "checkbox", onchange: () => refresh(), "data-testid": "together" });
  const query = encodeURIComponent(names.join(","));
  root.append(
    el(
      "div",
      { class: "row row-apart page-head" },
      el("h1", {}, "Compare runs"),
      el("div", { class: "row no-print" }, saved(), el("a", { class: "button", href: "#/train" }, "All runs")),
    ),
    el(
      "div",
      { class: "train-parts" },
      legend,
      el("label", { class: "check no-print" }, together, "Show runs that differ only in their seeds as one line: their mean, with its interval"),
      el("section", { class: "stack", "aria-labelledby": "curves-head" }, el("h2", { id: "curves-head" }, "How they learn"), picture.node),
      el("section", { class: "card stack-small" }, el("h2", {}, "Settings that differ"), differ),
      el("section", { class: "card stack-small" }, el("h2", {}, "Figures"), figures),
    ),
  );
  let timer = null;
  let last = "";

  function saved() {
    const theme = () => document.documentElement.dataset.theme;
    return el("a", { class: "button", href: `/api/runs/compare.svg?runs=${query}&theme=${theme()}`, download: "runs.svg" }, "Save the picture");
  }

  function take({ runs, differ: settings, chart }) {
    if (chart.lines.map((line) => line.name).join() !== last) {
      last = chart.lines.map((line) => line.name).join();
      picture.clear();
    }
    picture.show(chart);
    clear(
      legend,
      chart.lines.map((line, style) =>
        el(
          "li",
          {},
          sample(style),
          line.runs.length === 1 ? el("a", { href: `#/train/${encodeURIComponent(line.runs[0])}` }, line.name) : line.name,
        ),
      ),
    );
    clear(differ, settingsTable(runs, settings));
    clear(figures, figuresTable(runs));
    clearTimeout(timer);
    if (runs.some((run) => run.state === "running")) timer = setTimeout(refresh, PAUSE);
  }

  async function refresh() {
    const answer = await ask(`/api/runs/compare?runs=${query}${together.checked ? "&together=1" : ""}`).catch(() => null);
    if (answer) take(answer);
    else timer = setTimeout(refresh, PAUSE);
  }

  take(await ask(`/api/runs/compare?runs=${query}`));
  return () => {
    clearTimeout(timer);
    picture.stop();
  };
}

function settingsTable(runs, settings) {
  const rows = Object.entries(settings);
  if (!rows.length) return el("p", {}, "The settings are the same.");
  return table(runs, rows.map(([name, values]) => [name.replaceAll("_", " "), ...values.map(settingText)]));
}

function figuresTable(runs) {
  const named = new Set(runs.flatMap((run) => Object.keys(run.figures)));
  const score = (run, name) => {
    const result = run.evaluation?.scores[name];
    if (!result) return "–";
    const [low, high] = result.interval.map((end) => written(end, { percent: true }));
    return `${written(result.score, { percent: true })} [${low}, ${high}]`;
  };
  const opponents = new Set(runs.flatMap((run) => Object.keys(run.evaluation?.scores ?? {})));
  return table(runs, [
    ["game", ...runs.map((run) => run.title)],
    ["state", ...runs.map((run) => runPill(run))],
    ["progress", ...runs.map(runProgress)],
    ...[...opponents].map((name) => [`score against ${name}`, ...runs.map((run) => score(run, name))]),
    ...[...named].map((name) => [name.replaceAll("_", " "), ...runs.map((run) => written(run.figures[name]))]),
  ]);
}

function table(runs, rows) {
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, el("td", {}), runs.map((run) => el("th", { scope: "col" }, run.name)))),
    el(
      "tbody",
      {},
      rows.map(([name, ...values]) => el("tr", {}, el("th", { scope: "row" }, name), values.map((value) => el("td", {}, value)))),
    ),
  );
}
