/* Texts about runs that the Train pages share: states, progress, scores, settings. */

import { el } from "../../dom.js";
import { span } from "../../jobs.js";
import { written } from "./scale.js";

const STATES = {
  running: "Running",
  waiting: "Waiting",
  done: "Done",
  stopped: "Stopped",
  damaged: "Damaged",
};

/** A run's state as a pill, in the colours of jobs. */
export function runPill(run) {
  const kind = { running: "running", done: "done", damaged: "failed" }[run.state] ?? "waiting";
  return el("span", { class: `pill job-state job-${kind}`, "data-testid": "run-state" }, STATES[run.state] ?? run.state);
}

/** The game, the method and the seed of a run. */
export function runAbout(run) {
  const seed = run.seed === null ? "" : `, seed ${run.seed}`;
  return `${run.title || run.game}: ${run.method || run.preset}${seed}`;
}

/** A rough duration: "about a minute", "about 12 minutes". */
export function roughly(seconds) {
  if (seconds < 50) return seconds < 10 ? "a few seconds" : "less than a minute";
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return minutes < 2 ? "about a minute" : `about ${minutes} minutes`;
  return `about ${Math.round(minutes / 60)} hours`;
}

const ENOUGH = 2; // iterations after which the time left can be estimated

/** "12 of 40 iterations, 14 s of training, about 2 minutes left". */
export function runProgress(run) {
  const parts = [`${run.iterations.toLocaleString("en")} of ${run.of.toLocaleString("en")} iterations`];
  if (run.seconds_spent !== null) parts.push(`${span(run.seconds_spent)} of training`);
  if (run.state === "running" && run.seconds_left && run.iterations >= ENOUGH) parts.push(`${roughly(run.seconds_left)} left`);
  return parts.join(", ");
}

/** The last evaluation: "92 % [83 %, 96 %] against a random player". */
export function runScores(run) {
  return Object.entries(run.evaluation?.scores ?? {}).map(([name, { score, interval }]) => {
    const format = { percent: true };
    const [low, high] = interval.map((end) => written(end, format));
    return `${written(score, format)} [${low}, ${high}] of the points against ${run.opponents[name] ?? name}`;
  });
}

/** A setting as --set takes it. */
export function settingText(value) {
  if (value === null || value === undefined) return "–";
  return Array.isArray(value) ? value.join("/") : String(value);
}
