/* The list of moves, and the four buttons that step through it. */

import { button, clear, el, icon, setText } from "../../dom.js";

const ICONS = {
  first: "M18 6 10 12l8 6M6 5v14",
  back: "M15 6l-8 6 8 6",
  forward: "M9 6l8 6-8 6",
  last: "M6 6l8 6-8 6M18 5v14",
};

/** A card with the moves; `go(ply)` is called with a number, or "last" to follow the game.
    Until its Promise settles, further steps count from there: none is lost on a slow line. */
export function movesCard(go) {
  let shown = { ply: 0, of: 0, moves: [] };
  let target = 0; // the last requested ply
  let pending = 0; // outstanding answers
  const where = el("p", { class: "note", "data-testid": "where" });
  const list = el("ol", { class: "moves", "data-testid": "moves", "aria-label": "Moves" });
  const step = {
    first: stepper("First position", "first", () => walk(0)),
    back: stepper("One move back", "back", () => back()),
    forward: stepper("One move forward", "forward", () => forward()),
    last: stepper("Last position", "last", () => walk(shown.of)),
  };
  const node = el(
    "section",
    { class: "card stack-small moves-card", "aria-labelledby": "moves-head" },
    el("div", { class: "row row-apart" }, el("h2", { id: "moves-head" }, "Moves"), where),
    el("div", { class: "steppers no-print", role: "group", "aria-label": "Step through the game" }, Object.values(step)),
    list,
  );

  async function walk(ply) {
    target = ply;
    pending += 1;
    try {
      await go(ply >= shown.of ? "last" : ply);
    } finally {
      pending -= 1;
      if (!pending) target = shown.ply;
    }
  }

  function back() {
    if (target > 0) walk(target - 1);
  }

  function forward() {
    if (target < shown.of) walk(target + 1);
  }

  function show({ ply, of, moves }) {
    if (moves.join(" ") !== shown.moves.join(" ") || !list.firstChild) fillList(moves, of);
    shown = { ply, of, moves };
    if (!pending) target = ply;
    for (const item of list.querySelectorAll("button")) {
      if (Number(item.dataset.ply) === ply) {
        item.setAttribute("aria-current", "step");
        keepInSight(item);
      } else item.removeAttribute("aria-current");
    }
    if (ply === 0) list.scrollTop = 0;
    dim(step.first, ply === 0);
    dim(step.back, ply === 0);
    dim(step.forward, ply >= of);
    dim(step.last, ply >= of);
    setText(where, of === 0 ? "No move yet" : ply < of ? `Looking at ${ply} of ${of}` : `${of} so far`);
  }

  function fillList(moves, of) {
    // A game set up from a position may have more plies than moves we know: number from the end.
    const skip = of - moves.length;
    clear(
      list,
      moves.map((name, i) => {
        const ply = skip + i + 1;
        return el(
          "li",
          {},
          el(
            "button",
            {
              type: "button",
              class: "move",
              dataset: { ply: String(ply) },
              "aria-label": `Go to move ${ply}, ${name}`,
              onclick: () => walk(ply),
            },
            el("span", { class: "move-number", "aria-hidden": "true" }, ply),
            el("span", { class: "mono" }, name),
          ),
        );
      }),
    );
  }

  function keepInSight(item) {
    // scrollIntoView would move the whole page; only the list may scroll.
    const box = list.getBoundingClientRect();
    const at = item.getBoundingClientRect();
    if (at.top < box.top) list.scrollTop -= box.top - at.top + 4;
    else if (at.bottom > box.bottom) list.scrollTop += at.bottom - box.bottom + 4;
  }

  return { node, show, keys: { ",": back, ".": forward, "<": () => walk(0), ">": () => walk(shown.of) } };
}

function stepper(label, name, onclick) {
  return button(icon(ICONS[name]), onclick, { "aria-label": label, testid: `go-${name}` });
}

/** Disables a button without losing its focus, as `disabled` would. */
export function dim(control, off) {
  control.setAttribute("aria-disabled", String(off));
}
