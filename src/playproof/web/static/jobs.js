/* Jobs, for every page that starts one: a card that updates itself.

   jobCard(job, { connection, join, onEnd }) is an element; call its `stop()` when leaving the page.
   startJob(path, body) posts and returns the job; errors appear at the bottom of the window. */

import { button, clear, el, fill, setText } from "./dom.js";
import { confirmed, notify } from "./notices.js";
import { ask } from "./connection.js";

export const STATES = {
  waiting: "Waiting",
  running: "Running",
  done: "Done",
  failed: "Failed",
  cancelled: "Stopped",
  interrupted: "Interrupted",
};

export function isOver(job) {
  return job.state !== "waiting" && job.state !== "running";
}

/** Asks the lab to start a job; returns it, or null after showing the error. */
export async function startJob(path, body = {}) {
  try {
    const answer = await ask(path, body);
    return answer.job ?? answer;
  } catch (trouble) {
    notify(trouble.message);
    return null;
  }
}

/** A duration as text, such as "3 min 20 s". */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function statePill(job) {
  return el("span", { class: `pill job-state job-${job.state}`, "data-testid": "job-state" }, STATES[job.state] ?? job.state);
}

/** The card of a job: its title, progress, buttons, steps and log.
    `join`: what /api/join says of the visitor; guests get no buttons. `onEnd(job)` is called when
    the job ends, `onGone(job)` when it is removed from the list. `open`: the log and the steps are
    unfolded at first. `heading`: the title's element, null where the page shows the title itself. */
export function jobCard(first, { connection, join = null, onEnd = null, onGone = null, open = false, heading = "h3" } = {}) {
  let job = first;
  let asOf = performance.now(); // when `job` was received; the clock counts on from then
  const owner = join?.owner !== false;

  const title = heading && el(heading, { class: "job-title" }, job.title);
  const pill = el("span", { class: "pill job-state", "data-testid": "job-state" });
  const label = el("p", { class: "job-label", "data-testid": "job-label" });
  const bar = el("progress", { class: "job-bar", "aria-label": "Progress", max: 1 });
  const clock = el("span", { class: "note number" });
  const count = el("span", { class: "note number", "data-testid": "job-count" });
  const error = el("p", { class: "problem", role: "alert", "data-testid": "job-error" });
  const facts = el("dl", { class: "job-facts" });
  const buttons = el("div", { class: "row no-print" });
  const steps = el("ol", { class: "job-steps", "data-testid": "job-steps" });
  const log = el("pre", { class: "job-log mono", tabIndex: 0, role: "region", "aria-label": "Log", "data-testid": "job-log" });
  const stepFold = el("details", { open, hidden: true }, el("summary", {}, "Steps"), steps);
  const logFold = el("details", { open, hidden: true, "data-testid": "job-log-fold" }, el("summary", {}, "Log"), log);

  const card = el(
    "article",
    { class: "card job stack-small", "data-testid": `job-${job.id}` },
    el("div", { class: "row row-apart" }, title, pill),
    label,
    bar,
    el("div", { class: "row row-apart" }, count, clock),
    error,
    facts,
    buttons,
    commandLine(job),
    stepFold,
    logFold,
  );

  function show() {
    pill.className = `pill job-state job-${job.state}`;
    setText(pill, STATES[job.state] ?? job.state);
    setText(label, job.state === "waiting" ? "It starts when another job ends." : job.label);
    label.hidden = !label.textContent;
    bar.hidden = job.state !== "running" && !(isOver(job) && job.total);
    if (job.total && job.done !== null) bar.value = Math.min(1, job.done / job.total);
    else if (job.state === "running") bar.removeAttribute("value");
    else bar.value = job.state === "done" ? 1 : 0;
    setText(count, job.total && job.done !== null ? `${job.done.toLocaleString("en")} of ${job.total.toLocaleString("en")}` : "");
    setText(error, isOver(job) ? job.error : "");
    error.hidden = !error.textContent;
    // `tournament` is the number by which the lab finds the tournament, not a result.
    clear(facts, Object.entries(job.facts).flatMap(([name, value]) => (name === "tournament" ? [] : fact(name, value))));
    facts.hidden = !facts.childElementCount;
    showButtons();
    showSteps();
    if (job.log !== undefined) {
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
      setText(log, job.log);
      logFold.hidden = !job.log;
      if (atEnd) log.scrollTop = log.scrollHeight;
    }
    tick();
  }

  function showButtons() {
    const allowed = owner ? ["cancel", "resume", "delete"].filter((action) => job.can[action]) : [];
    if (buttons.dataset.shown === allowed.join()) return; // keep a focused button
    const focused = buttons.contains(document.activeElement);
    buttons.dataset.shown = allowed.join();
    buttons.hidden = !allowed.length;
    clear(buttons, allowed.map((action) => BUTTONS[action](action)));
    if (focused) buttons.querySelector("button")?.focus();
  }

  const BUTTONS = {
    cancel: (action) => button("Stop", () => post(action), { testid: "job-cancel", "aria-label": `Stop: ${job.title}` }),
    resume: (action) =>
      button("Resume", () => post(action), { main: true, testid: "job-resume", "aria-label": `Resume: ${job.title}` }),
    delete: (action) =>
      button("Remove from the list", () => remove(action), {
        class: "button-plain",
        testid: "job-delete",
        "aria-label": `Remove from the list: ${job.title}`,
      }),
  };

  async function post(action) {
    try {
      take(await ask(`/api/jobs/${job.id}/${action}`, {}));
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  async function remove(action) {
    if (!(await confirmed("Remove this job from the list? Its results are kept.", "Remove"))) return;
    try {
      await ask(`/api/jobs/${job.id}/${action}`, {});
      card.stop();
      if (onGone) onGone(job);
      else card.remove();
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  function showSteps() {
    if (!job.steps) return;
    stepFold.hidden = !job.steps.length;
    if (steps.childElementCount > job.steps.length) clear(steps);
    // New steps come at the end; when there are very many, the oldest are dropped.
    if (steps.childElementCount === job.steps.length && steps.dataset.last === lastStep()) return;
    if (steps.firstChild && steps.dataset.first !== JSON.stringify(job.steps[0])) clear(steps);
    fill(steps, job.steps.slice(steps.childElementCount).map(stepItem));
    steps.dataset.first = JSON.stringify(job.steps[0] ?? null);
    steps.dataset.last = lastStep();
  }

  function lastStep() {
    return JSON.stringify(job.steps[job.steps.length - 1] ?? null);
  }

  function tick() {
    const since = job.state === "running" ? (performance.now() - asOf) / 1000 : 0;
    setText(clock, job.state === "waiting" ? "" : span(job.seconds + since));
  }

  function take(news) {
    const was = job;
    job = { ...job, ...news };
    asOf = performance.now();
    show();
    if (!isOver(was) && isOver(job)) onEnd?.(job);
  }

  const timer = setInterval(tick, 1000);
  const unwatch = connection.watch(
    `job:${job.id}`,
    (message) => take(message.job),
    () => onGone?.(job),
  );
  card.stop = () => {
    clearInterval(timer);
    unwatch();
  };
  show();
  return card;
}

// The meaning of figures whose names do not explain themselves.
const FIGURES = { conflicts: "conflicts (dead ends of the solver)", solving: "seconds of solving", proof_bytes: "bytes of proof" };

function fact(name, value) {
  const shown = typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 4 }) : String(value ?? "");
  return el("div", {}, el("dt", {}, FIGURES[name] ?? name.replaceAll("_", " ")), el("dd", { class: "number" }, shown));
}

function stepItem(step) {
  return el("li", {}, el("span", {}, step.text), el("span", { class: "note number" }, ` ${span(step.at)}`));
}

/** The equivalent command, to copy. */
function commandLine(job) {
  if (!job.command) return null;
  const copy = button("Copy", copied, { testid: "job-copy", "aria-label": "Copy the command" });
  async function copied() {
    try {
      await navigator.clipboard.writeText(job.command);
      setText(copy, "Copied");
    } catch {
      notify("The browser does not allow copying. Select the line instead.");
    }
  }
  return el(
    "div",
    { class: "job-command no-print" },
    el("code", { class: "mono", "data-testid": "job-command" }, job.command),
    copy,
  );
}
