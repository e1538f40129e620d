/* The game that Play opens: the last unfinished one, or a new one that a beginner can win. */

import { recallData, remember } from "../../storage.js";
import { ask } from "../../connection.js";
import { gameOf } from "./words.js";

const LESSONS = "lessons"; // the classroom games that this browser has opened
const MOST_LESSONS = 200;

/** The games that this person may see, latest first. */
export async function listGames() {
  const answer = await ask("/api/games");
  const games = Array.isArray(answer) ? answer : answer.games;
  return [...games].sort((a, b) => stamp(b.updated) - stamp(a.updated));
}

/** The id of the last unfinished game (of one kind), or of a new one. */
export async function resumeOrStart(connection, catalog, kind = null) {
  const mine = (game) => !game.analysis && !isLesson(game.id) && game.seats.some((seat) => seat.you);
  const games = await listGames();
  const open = games.find((game) => game.result === "*" && mine(game) && (!kind || game.game === kind));
  if (open) return open.id;
  const game = gameOf(catalog, kind);
  const message = { type: "new", game: game.name, variant: game.variants[0].id, seats: ["human", game.opponents[0].spec] };
  return (await connection.send(message, { quiet: true })).id;
}

/** Marks a game as one of the classroom, where it is continued. */
export function isLesson(id) {
  return recallData(LESSONS, []).includes(id);
}

export function rememberLesson(id) {
  const known = recallData(LESSONS, []).filter((one) => one !== id);
  remember(LESSONS, JSON.stringify([...known, id].slice(-MOST_LESSONS)));
}

function stamp(time) {
  return typeof time === "number" ? time : Date.parse(time) / 1000;
}
