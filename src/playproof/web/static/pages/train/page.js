/* Train: nets that learn by playing.  The list of runs, one run, or several compared:
   #/train, #/train/NAME, #/train/compare/ONE,TWO. */

import { showCompared } from "./compare.js";
import { showRuns } from "./list.js";
import { showRun } from "./run.js";

export async function show(root, { id, more: [more = ""], ...lab }) {
  if (!id) return showRuns(root, lab);
  if (id === "compare") return showCompared(root, { names: more.split(",").filter(Boolean), ...lab });
  return showRun(root, { id, more, ...lab });
}
