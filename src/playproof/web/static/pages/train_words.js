/* How runs are told of, in words that the pages about them share. */

import { el } from "../dom.js";
import { span } from "../jobs.js";
import { written } from "./train_scale.js";

const STATES = {
  running: "Running",
  waiting: "Waiting",
  done: "Done",
  stopped: "Stopped",
  damaged: "Damaged",
};
const WAYS = {
  alphazero: "self-play with looking ahead (AlphaZero)",
  ppo: "self-play, wins and losses (PPO)",
  dql: "self-play, values of moves (deep Q-learning)",
  imitation: "imitation of games that others played",
};
const AGAINST = { random: "a random player", earlier: "an earlier net" };

/** A state in a word; `job-…` are the colours of jobs. */
export function runPill(run) {
  const kind = { running: "running", done: "done", damaged: "failed" }[run.state] ?? "waiting";
  return el("span", { class: `pill job-state job-${kind}`, "data-testid": "run-state" }, STATES[run.state] ?? run.state);
}

/** What is trained, and how. */
export function runAbout(run) {
  const seed = run.seed === null ? "" : `, seed ${run.seed}`;
  return `${run.title || run.game}: ${WAYS[run.algorithm] ?? run.preset}${seed}`;
}

/** "12 of 40 iterations, 14 s, 30 s left". */
export function runProgress(run) {
  const parts = [`${run.iterations.toLocaleString("en")} of ${run.of.toLocaleString("en")} iterations`];
  if (run.seconds_spent !== null) parts.push(`${span(run.seconds_spent)} of training`);
  if (run.state === "running" && run.seconds_left) parts.push(`about ${span(run.seconds_left)} left`);
  return parts.join(", ");
}

/** The last evaluation: "92 % [83 %, 96 %] against a random player". */
export function runScores(run) {
  return Object.entries(run.evaluation?.scores ?? {}).map(([name, { score, interval }]) => {
    const how = { percent: true };
    const [low, high] = interval.map((end) => written(end, how));
    return `${written(score, how)} [${low}, ${high}] of the points against ${AGAINST[name] ?? name}`;
  });
}

/** A setting as it would be typed. */
export function settingText(value) {
  if (value === null || value === undefined) return "–";
  return Array.isArray(value) ? value.join("/") : String(value);
}
