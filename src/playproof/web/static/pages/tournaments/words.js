/* Texts about tournaments and their players. */

import { el } from "../../dom.js";
import { gameOf } from "../shared/words.js";

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

/** The openings in plain words: "random:plies=6,balance=0.3" is "6 random moves, roughly even". */
export function openingsText(spec) {
  const [, source, rest = ""] = /^(.*?)(?::((?:\w+=[^,:]*,?)+))?$/.exec(spec);
  const { plies, balance } = Object.fromEntries(rest.split(",").map((part) => part.split("=")));
  const book = source !== "random" && `lines of the book ${source.split("/").pop()}`;
  return `${book || `${plies ?? "some"} random move${plies === "1" ? "" : "s"}`}${evenness(Number(balance))}`;
}

/** `balance`: how far from equal an opening may be, 0 to 1. */
function evenness(balance) {
  if (!(balance < 1)) return "";
  if (balance <= 0.1) return ", even";
  return balance <= 0.4 ? ", roughly even" : ", not lost for either side";
}

/** The level of a player's spec, such as "Medium"; "" if it has none. */
export function levelOf(catalog, one, spec) {
  return gameOf(catalog, one.name).opponents.find((known) => known.spec === spec)?.level ?? "";
}

/** A player's spec, which may wrap between its parts. */
export function playerName(spec) {
  return spec.split(/(?<=[:,])/).flatMap((part) => [part, el("wbr")]);
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

/** A sentence on whether the first two players differ. */
export function verdictText({ order, players, pairings }) {
  const [i, j] = order;
  const found = pairings.find(({ players: both }) => both.includes(i) && both.includes(j));
  const { mean, interval } = found.players[0] === i ? found : swapped(found);
  if (mean === null) return "The first two players have not finished a game yet.";
  const share = `${percent(mean)} of the points against ${players[j]}, the next`;
  if (interval[0] > 0.5) return `${players[i]} is first, with ${share}. That is more than chance explains.`;
  return `${players[i]} is first, with ${share}. That may be chance; more games would decide it.`;
}
