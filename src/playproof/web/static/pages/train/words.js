/* How runs are told of, in words that the pages about them share. */

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

/** A state in a word; `job-…` are the colours of jobs. */
export function runPill(run) {
  const kind = { running: "running", done: "done", damaged: "failed" }[run.state] ?? "waiting";
  return el("span", { class: `pill job-state job-${kind}`, "data-testid": "run-state" }, STATES[run.state] ?? run.state);
}

/** What is trained, and how. */
export function runAbout(run) {
  const seed = run.seed === null ? "" : `, seed ${run.seed}`;
  return `${run.title || run.game}: ${run.method || run.preset}${seed}`;
}

/** An estimate, no more precise than it is: "about a minute", "about 12 minutes". */
export function roughly(seconds) {
  if (seconds < 50) return seconds < 10 ? "a few seconds" : "less than a minute";
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return minutes < 2 ? "about a minute" : `about ${minutes} minutes`;
  return `about ${Math.round(minutes / 60)} hours`;
}

const TELLING = 2; // iterations after which it can be told how long the rest takes

/** "12 of 40 iterations, 14 s of training, about 2 minutes left". */
export function runProgress(run) {
  const parts = [`${run.iterations.toLocaleString("en")} of ${run.of.toLocaleString("en")} iterations`];
  if (run.seconds_spent !== null) parts.push(`${span(run.seconds_spent)} of training`);
  if (run.state === "running" && run.seconds_left && run.iterations >= TELLING) parts.push(`${roughly(run.seconds_left)} left`);
  return parts.join(", ");
}

/** The last evaluation: "92 % [83 %, 96 %] against a random player". */
export function runScores(run) {
  return Object.entries(run.evaluation?.scores ?? {}).map(([name, { score, interval }]) => {
    const how = { percent: true };
    const [low, high] = interval.map((end) => written(end, how));
    return `${written(score, how)} [${low}, ${high}] of the points against ${run.opponents[name] ?? name}`;
  });
}

/** A setting as it would be typed. */
export function settingText(value) {
  if (value === null || value === undefined) return "–";
  return Array.isArray(value) ? value.join("/") : String(value);
}
