// Mouse, finger and keys on the points of a board.

import { ARROWS } from "./points.js";

/** Listen.  `tap(at, how)` is a click, how = {byKey, touch, x, y}; `visit(at)` says
 * which point is looked at, "" for none; `back()` takes a click back, and says
 * whether there was one. */
export function listen(root, area, points, { tap, visit, back }) {
  let pointer = ""; // what kind was used last: mouse, touch, pen
  const at = (event) => event.target.dataset?.at ?? "";
  area.addEventListener("pointerdown", (event) => (pointer = event.pointerType), true);
  area.addEventListener("click", (event) => {
    if (!at(event)) return;
    const byKey = event.detail === 0;
    const touch = !byKey && pointer === "touch";
    tap(at(event), { byKey, touch, x: event.clientX, y: event.clientY });
  });
  area.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "touch" && at(event)) visit(at(event));
  });
  area.addEventListener("pointerleave", () => visit(""));
  area.addEventListener("focusin", (event) => {
    points.visited(at(event));
    if (event.target.matches(":focus-visible")) visit(at(event));
  });
  area.addEventListener("focusout", () => visit(""));
  root.addEventListener("keydown", (event) => {
    if (!key(event, area, points, back)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** Handles a key; whether it had an effect. */
function key(event, area, points, back) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "Escape") return back();
  if (event.key in ARROWS && area.matches(":focus-within")) {
    points.focus(points.step(event.key));
    return true;
  }
  if (event.key.toLowerCase() !== "n") return false;
  points.focus(points.next(event.shiftKey));
  return true;
}
