/* Jobs that begin or end, here or on the command line: what they make shows by itself. */

/** Calls `changed()` whenever the list of jobs, or the state of one, is another; gives what ends
    that. */
export function onJobChanges(talk, changed) {
  let known = "";
  return talk.watch("jobs", (message) => {
    const now = message.jobs.map((job) => job.id + job.state).join();
    if (now !== known && known) changed();
    known = now;
  });
}
