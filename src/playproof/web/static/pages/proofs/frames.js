/* Positions to step through, each with a line of text: a board, buttons, a slider, a list, and a
   button that plays them, unless the system asks for reduced motion. */

import "../../board/board.js";
import { button, clear, el, icon, setText } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { dim } from "../shared/moves.js";

const PACE = 1500; // milliseconds per step while it plays
const ICONS = {
  first: "M18 6 10 12l8 6M6 5v14",
  back: "M15 6l-8 6 8 6",
  forward: "M9 6l8 6-8 6",
  last: "M6 6l8 6-8 6M18 5v14",
};

/** A board for display only. */
export function stillBoard(given = {}) {
  const board = el("play-board", { ...given, still: "" });
  board.disabled = true;
  return board;
}

/** `show({frames, at})` shows other frames; `onStep(at)` is called with the current step.
    `label` names the list, and `side` is placed above it. */
export function framePlayer({ label, onStep = null, side = null }) {
  let frames = [];
  let at = 0;
  let timer = null;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const board = stillBoard({ "data-testid": "frame-board" });
  const where = el("p", { class: "note", "data-testid": "frame-where" });
  const slider = el("input", {
    type: "range",
    class: "frame-slider",
    min: "0",
    step: "1",
    "aria-label": `${label}: go to a step`,
    "data-testid": "frame-slider",
    oninput: () => go(Number(slider.value)),
  });
  const list = el("ol", { class: "frame-list", start: "0", "aria-label": label, "data-testid": "frame-list" });
  const step = {
    first: stepper("First step", "first", () => go(0)),
    back: stepper("One step back", "back", () => go(at - 1)),
    forward: stepper("One step forward", "forward", () => go(at + 1)),
    last: stepper("Last step", "last", () => go(frames.length - 1)),
  };
  const play = button("Play through", () => (timer === null ? start() : stop()), { testid: "frame-play", hidden: calm });
  const node = el(
    "div",
    { class: "proof-look" },
    el("div", { class: "proof-board" }, board),
    el(
      "div",
      { class: "stack-small proof-side" },
      side,
      el("div", { class: "row row-apart" }, where, play),
      el("div", { class: "steppers no-print", role: "group", "aria-label": "Step through it" }, Object.values(step)),
      slider,
      list,
    ),
  );
  useKeys({ ",": () => go(at - 1), ".": () => go(at + 1), "<": () => go(0), ">": () => go(frames.length - 1) });

  function go(to, { byItself = false } = {}) {
    if (!byItself) stop();
    at = Math.max(0, Math.min(frames.length - 1, to));
    paint();
    onStep?.(at);
  }

  function paint() {
    const frame = frames[at];
    board.view = frame.view;
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `${at} of ${frames.length - 1}`);
    setText(where, `Step ${at} of ${frames.length - 1}`);
    for (const item of list.querySelectorAll("button")) {
      if (Number(item.dataset.step) === at) {
        item.setAttribute("aria-current", "step");
        keepInSight(item);
      } else item.removeAttribute("aria-current");
    }
    dim(step.first, at === 0);
    dim(step.back, at === 0);
    dim(step.forward, at === frames.length - 1);
    dim(step.last, at === frames.length - 1);
  }

  function keepInSight(item) {
    // scrollIntoView would move the whole page; only the list may scroll.
    const box = list.getBoundingClientRect();
    const place = item.getBoundingClientRect();
    if (place.top < box.top) list.scrollTop -= box.top - place.top + 4;
    else if (place.bottom > box.bottom) list.scrollTop += place.bottom - box.bottom + 4;
  }

  function start() {
    if (at === frames.length - 1) go(0);
    setText(play, "Pause");
    timer = setInterval(() => {
      go(at + 1, { byItself: true });
      if (at === frames.length - 1) stop();
    }, PACE);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    setText(play, "Play through");
  }

  return {
    node,
    show(next) {
      stop();
      frames = next.frames;
      at = Math.max(0, Math.min(frames.length - 1, next.at));
      slider.max = String(frames.length - 1);
      clear(
        list,
        frames.map((frame, i) =>
          el(
            "li",
            {},
            el(
              "button",
              { type: "button", class: "frame-step", dataset: { step: String(i) }, onclick: () => go(i) },
              frame.text,
            ),
          ),
        ),
      );
      paint();
    },
    stop,
  };
}

function stepper(label, name, onclick) {
  return button(icon(ICONS[name]), onclick, { "aria-label": label, testid: `frame-${name}` });
}
