/* The Train page: the list of runs (#/train), one run (#/train/NAME), or several compared
   (#/train/compare/ONE,TWO). */

import { showCompared } from "./compare.js";
import { showRuns } from "./list.js";
import { showRun } from "./run.js";

export async function show(root, { id, more: [more = ""], ...lab }) {
  if (!id) return showRuns(root, lab);
  if (id === "compare") return showCompared(root, { names: more.split(",").filter(Boolean), ...lab });
  return showRun(root, { id, more, ...lab });
}
