/* How tournaments and their players are told of. */

import { el } from "../dom.js";
import { gameOf } from "./words.js";

const STATES = { running: "Running", waiting: "Waiting", done: "Done", stopped: "Stopped" };

export function tablePill(one) {
  const kind = { running: "running", done: "done" }[one.state] ?? "waiting";
  return el("span", { class: `pill job-state job-${kind}`, "data-testid": "tournament-state" }, STATES[one.state] ?? one.state);
}

export function headline(one) {
  const board = one.board && one.board !== "Standard" ? `, ${one.board}` : "";
  return `${one.title}${board}: ${one.players.length === 2 ? "a match" : `${one.players.length} players`}`;
}

export function progressText(one) {
  const most = one.test ? "at most " : "";
  return `${one.played.toLocaleString("en")} of ${most}${one.games.toLocaleString("en")} games`;
}

/** The level behind a player's spec, such as "Medium"; "" where there is none. */
export function levelOf(catalog, one, spec) {
  return gameOf(catalog, one.name).opponents.find((known) => known.spec === spec)?.level ?? "";
}

export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

/** "+5 =0 −3": won, drawn, lost. */
export function counts({ wins, draws, losses }) {
  return `+${wins} =${draws} −${losses}`;
}

/** A pairing seen by the other player. */
export function swapped(pairing) {
  const { wins, losses, mean, interval, points, games } = pairing;
  return {
    ...pairing,
    wins: losses,
    losses: wins,
    mean: mean === null ? null : 1 - mean,
    points: games - points,
    interval: interval[0] === null ? interval : [1 - interval[1], 1 - interval[0]],
  };
}

/** What can be said about the first two, in a sentence. */
export function verdictText({ order, players, pairings }) {
  const [i, j] = order;
  const found = pairings.find(({ players: both }) => both.includes(i) && both.includes(j));
  const { mean, interval } = found.players[0] === i ? found : swapped(found);
  if (mean === null) return "No game of the first two is finished yet.";
  const share = `${percent(mean)} of the points against ${players[j]}, the next`;
  if (interval[0] > 0.5) return `${players[i]} is first, with ${share}: more than chance explains.`;
  return `${players[i]} stands first, with ${share}; but that may be chance: more games would tell.`;
}
