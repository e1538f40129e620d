/* The job of a run or a tournament beside its results: open while it can be stopped or resumed,
   folded when it is done. */

import { clear, el } from "../../dom.js";
import { jobCard } from "../../jobs.js";
import { ask } from "../../connection.js";

/** Call `show(id)` when the job may have changed; null for none. */
export function jobPlace(title, { connection, join }) {
  const node = el("div", { "data-testid": "job-place" });
  let shown = null;
  let card = null;

  async function show(id) {
    if (id === shown) return;
    shown = id;
    stop();
    clear(node);
    if (!id) return;
    const job = await ask(`/api/jobs/${id}`).catch(() => null); // it may have been forgotten
    if (!job || id !== shown) return;
    card = jobCard(job, { connection, join, heading: "h2", onGone: () => clear(node) });
    node.append(job.state === "done" ? el("details", { class: "card job-fold" }, el("summary", {}, title), card) : card);
  }

  function stop() {
    card?.stop();
    card = null;
  }

  return { node, show, stop };
}
