/* Tournaments: all against all.  #/tournaments is the list, #/tournaments/12 a
   table, #/tournaments/12/0-1.533.17 the games of two players, one of them, at a move. */

import { showTournaments } from "./list.js";
import { showTournament } from "./one.js";

export async function show(root, { id, more: [more = ""], ...lab }) {
  return id ? showTournament(root, { id, more, ...lab }) : showTournaments(root, lab);
}
