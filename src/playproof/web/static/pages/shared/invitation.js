/* The invitation: the page at which guests arrive after entering the join code. */

import { ask } from "../../connection.js";

/** Lets the owner's invitation lead to `place`, such as "/play/ID". For guests, and in a lab
    without a join code, it does nothing. */
export function leadHere(join, place) {
  if (!join?.owner || !join.needs_code) return;
  ask("/api/invitation", { go: place }).catch((trouble) => console.warn(trouble));
}
