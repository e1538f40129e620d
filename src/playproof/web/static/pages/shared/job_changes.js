/* Reacts to jobs that start or end, here or on the command line. */

/** Calls `changed()` whenever the list of jobs, or the state of one, is another; gives what ends
    that. */
export function onJobChanges(connection, changed) {
  let known = "";
  return connection.watch("jobs", (message) => {
    const now = message.jobs.map((job) => job.id + job.state).join();
    if (now !== known && known) changed();
    known = now;
  });
}
