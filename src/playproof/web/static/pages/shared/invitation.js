/* Where those go who come with the join code alone: to what the owner's page invites to. */

import { ask } from "../../talk.js";

/** Tells the lab that its invitation leads to `place`, such as "/play/ID"; the owner alone may. */
export function leadHere(join, place) {
  if (!join?.owner || !join.needs_code) return;
  ask("/api/invitation", { go: place }).catch((trouble) => console.warn(trouble));
}
