/* The page that guests open who enter with the join code: the one the owner invites to. */

import { ask } from "../../connection.js";

/** Makes the lab's invitation lead to `place`, such as "/play/ID"; only the owner may. */
export function leadHere(join, place) {
  if (!join?.owner || !join.needs_code) return;
  ask("/api/invitation", { go: place }).catch((trouble) => console.warn(trouble));
}
