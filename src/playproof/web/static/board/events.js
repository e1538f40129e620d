// Animations of the latest events, shown once: a pair collapses, a stone fades.

import { goneOf } from "./names.js";
import { circleLine, drawPiece } from "./svg_pieces.js";
import { usualKind } from "./svg.js";
import { COLOURS } from "./svg_theme.js";

const SECONDS = 0.9;

/** The moving parts of the events as SVG text; `before` is the View that was shown. */
function drawn(events, on, view, before, pegs) {
  const parts = [];
  for (const event of events) {
    const pieces = [...(before?.pieces ?? []), ...view.pieces];
    for (const at of goneOf(event)) {
      if (!on.where.has(at)) continue;
      const piece = pieces.find((p) => p.at === at) ?? { k: usualKind(view), c: "" };
      parts.push(`<g class="leaves">${drawPiece({ ...piece, at }, on, pegs).join("")}</g>`);
    }
    for (const at of event.there === false ? [] : [event.to ?? []].flat()) {
      if (!on.where.has(at)) continue;
      const [x, y] = on.centre(at);
      const wave = circleLine(x, y, 0.5 * on.cell, COLOURS.AMBER, 0.08 * on.cell);
      parts.push(`<g class="arrives" style="transform-origin:${x}px ${y}px">${wave}</g>`);
    }
  }
  return parts.join("");
}

/** Plays the events of a View over the picture, unless reduced motion is preferred. */
export function play(layer, { on, view, before, pegs }) {
  layer.replaceChildren();
  if (!view.events.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  layer.innerHTML = drawn(view.events, on, view, before, pegs);
  const parts = [...layer.children];
  setTimeout(() => parts.forEach((part) => part.remove()), 1000 * SECONDS);
}
