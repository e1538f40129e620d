/* The job behind a run or a tournament, beside what it makes: whole while there is something
   to do about it, folded away when it is done. */

import { clear, el } from "../../dom.js";
import { jobCard } from "../../jobs.js";
import { ask } from "../../talk.js";

/** `show(id)` whenever the job may be another one; null for none. */
export function jobPlace(title, { talk, join }) {
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
    card = jobCard(job, { talk, join, heading: "h2", onGone: () => clear(node) });
    node.append(job.state === "done" ? el("details", { class: "card job-fold" }, el("summary", {}, title), card) : card);
  }

  function stop() {
    card?.stop();
    card = null;
  }

  return { node, show, stop };
}
