/* A board connected to a game: it shows states and sends clicks.  Play and Analyse use it. */

import "../../board/board.js";
import { el, listen } from "../../dom.js";

const CHANGES = new Set(["undo", "redo", "resign", "think", "hint"]); // messages that carry the version they apply to

/** A board wired to `connection`: moves and prefixes are sent with the version they were made on.
    `onState(state)` hears every new state of the game, `onThink(message)` every thought. */
export function table(connection, { onState, onThink = () => {} }) {
  const board = el("play-board", { "data-testid": "board" });
  let state = null;

  const unlisten = [
    listen(board, {
      move: (event) => play(event.detail.c),
      prefix: (event) => offer(event.detail.c),
    }),
    listen(connection, {
      state: (event) => take(event.detail),
      think: (event) => onThink(event.detail),
    }),
  ];

  function take(next) {
    if (state && (next.ver !== state.ver || next.ply !== state.ply)) clearHints();
    state = next;
    board.view = state.view;
    onState(state);
  }

  /** Removes hints and heat from the board. */
  function clearHints() {
    board.heat = null;
    board.arrows = null;
  }

  /** Plays one move by its clicks, or by its number; errors appear at the bottom of the window. */
  async function play(move) {
    const which = Array.isArray(move) ? { c: move } : { action: move };
    try {
      return await connection.send({ type: "move", ver: state.ver, ...which });
    } catch {
      board.reset(); // the clicks are taken back
      return null;
    }
  }

  async function offer(prefix) {
    try {
      const answer = await connection.send({ type: "next", ver: state.ver, prefix });
      board.offer(prefix, answer.tokens);
    } catch {
      board.reset();
    }
  }

  return {
    board,
    clearHints,
    play,
    state: () => state,
    /** Sends a message about this game; null if it was refused, after showing the error. */
    send: (type, more = {}, how = {}) => {
      const ver = CHANGES.has(type) ? { ver: state.ver } : {};
      return connection.send({ type, ...ver, ...more }, how).catch(() => null);
    },
    stop: () => unlisten.forEach((end) => end()),
  };
}

const MOST_ARROWS = 3;

/** Arrows for the best moves that go from one point to another; their width is the share of visits. */
export function arrowsOf(top) {
  const visits = top.reduce((sum, one) => sum + (one.visits ?? 0), 0);
  const arrows = top.flatMap((one, i) => {
    const [a, b] = pointsOf(one);
    if (!b) return [];
    const p = weight(one, i, visits);
    return [{ a, b, p, best: i === 0, t: visits ? `${Math.round(100 * p)}%` : "" }];
  });
  return arrows.slice(0, MOST_ARROWS);
}

/** The clicks of a move that are points of the board. */
function pointsOf(move) {
  return move.c.filter((token) => !token.includes(":"));
}

const WARM = 8; // tinted points, as many as the table of moves has rows

/** The heat map for the board: the most visited points, scaled so that the first is 1. */
export function heatOf(heat) {
  const points = Object.entries(heat ?? {}).sort((a, b) => b[1] - a[1]);
  const most = points[0]?.[1] ?? 0;
  if (most <= 0) return null;
  return Object.fromEntries(points.slice(0, WARM).map(([at, share]) => [at, share / most]));
}

/** One move as a hint: an arrow from point to point, else its tinted point. */
export function hintOf(best) {
  const [a, b] = pointsOf(best);
  if (b) return { heat: null, arrows: [{ a, b, p: 0.5, best: true, t: "" }] };
  return { heat: a ? { [a]: 1 } : null, arrows: null };
}

function weight(one, i, visits) {
  if (visits) return one.visits / visits;
  return one.prior ?? 1 / (i + 1);
}
