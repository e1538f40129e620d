// Chips beside the last point for choices without a place on the board: promotions, outcomes.

import { tokenName } from "./names.js";
import { drawChessman, isDrawn } from "./svg_chess.js";
import { WIDTH } from "./svg.js";

/** Shows the `opt:` tokens that may follow, near the point they belong to. */
export function fillChoices(box, { on, height, view, walk, live, press }) {
  const options = [...walk.choices.values()].filter(({ token }) => token.startsWith("opt:"));
  const shown = live && options.length > 0;
  const tokens = shown ? options.map(({ token }) => token).join(" ") : "";
  if (box.dataset.tokens === tokens && box.hidden !== shown) return false;
  box.dataset.tokens = tokens;
  box.hidden = !shown;
  if (!shown) {
    box.replaceChildren();
    return false;
  }
  const at = walk.path.findLast(({ token }) => on.where.has(token))?.token;
  const [x, y] = at ? on.centre(at) : [WIDTH / 2, on.top + on.height / 2];
  // Below the point in the upper half, above it in the lower: never over it.
  const below = y < on.top + on.height / 2;
  const edge = y + (below ? 0.55 : -0.55) * on.cell;
  box.style.top = `${(100 * edge) / height}%`;
  box.classList.toggle("above", !below);
  box.setAttribute("aria-label", view.steps[walk.path.length] ?? "Choose one");
  box.replaceChildren(...options.map((node) => chip(view, node, press)));
  box.style.left = "0";
  const half = `${Math.ceil(box.offsetWidth / 2)}px`;
  box.style.left = `clamp(${half}, ${(100 * x) / WIDTH}%, calc(100% - ${half}))`;
  return true;
}

function chip(view, node, press) {
  const made = document.createElement("button");
  made.type = "button";
  made.dataset.token = node.token;
  const kind = node.token.slice(4).toUpperCase();
  const label = document.createElement("span");
  label.textContent = tokenName(view, node);
  if (view.board.style === "check" && isDrawn(kind, view.turn.c)) {
    const man = drawChessman(50, 50, 100, kind, view.turn.c, 1);
    made.innerHTML = `<svg viewBox="0 0 100 100" aria-hidden="true">${man}</svg>`;
  }
  made.append(label);
  made.addEventListener("click", () => press(node.token));
  return made;
}
