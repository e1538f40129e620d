/* The two seats: name, clock, and whose turn it is. */

import { hasPegs } from "../../board/places.js";
import { clear, el, setText } from "../../dom.js";
import { clockText, seatName, sides } from "./words.js";

// What the score of a View counts.
const COUNTS = {
  othello: "discs of each side",
  choko: "pieces taken",
  "quantum-go": "stones taken",
  go: "stones taken",
  chess: "the value of the pieces (pawn 1, knight and bishop 3, rook 5, queen 9)",
};
const TICK = 100; // milliseconds between updates of a running clock

/** The list of the two seats; `show(state)` fills it, `stop()` stops its clock. */
export function seatsList(catalog) {
  const node = el("ul", { class: "seats", "data-testid": "seats", "aria-label": "Players" });
  const counts = el("p", { class: "note", "data-testid": "counts" });
  let clocks = [];
  let since = 0;
  let state = null;

  const timer = setInterval(() => {
    const running = state?.clock?.running;
    if (running !== 0 && running !== 1) return;
    const gone = (performance.now() - since) / 1000;
    setText(clocks[running], clockText(state.clock.left[running] - gone));
  }, TICK);

  function show(next) {
    state = next;
    since = performance.now();
    clocks = [];
    const over = state.result !== "*";
    clear(
      node,
      state.seats.map((seat, i) => row(seat, i, sides(catalog, state)[i], over)),
    );
    node.className = hasPegs(state.view) ? "seats pegs" : "seats";
    const numbers = Object.keys(state.view.score).length > 0;
    setText(counts, numbers ? `The numbers above the board count ${COUNTS[state.game] ?? "points"}.` : "");
  }

  function row(seat, i, side, over) {
    const turn = !over && state.ply === state.of && state.view.turn.c === side.colour;
    const works = turn && (seat.kind === "agent" || state.thinking);
    clocks[i] = el("span", { class: "clock mono", role: "timer" }, state.clock ? clockText(state.clock.left[i]) : "");
    const away = seat.kind === "human" && !seat.you && !seat.here;
    return el(
      "li",
      { class: turn ? "seat seat-turn" : "seat", "data-testid": `seat-${i}` },
      el("span", { class: `dot dot-${side.colour}`, "aria-hidden": "true" }),
      el(
        "span",
        { class: "seat-name" },
        el("strong", {}, side.name),
        el("span", { class: "quiet" }, ` ${seatName(catalog, state, seat)}${away ? " (away)" : ""}`),
      ),
      el(
        "span",
        { class: "seat-work" },
        works && el("span", { class: "spin", "aria-hidden": "true" }),
        works ? "thinking" : turn ? "to move" : "",
      ),
      state.clock && clocks[i],
    );
  }

  return { node, counts, show, stop: () => clearInterval(timer) };
}
