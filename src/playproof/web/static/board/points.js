// The points of the board as real buttons: a grid that lies over the picture.
// Each fills its cell, so it fits at any size; one of them is in the tab order.

export const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Points {
  /** `root`: the element that holds them. */
  constructor(root) {
    this.root = root;
    this.buttons = new Map(); // point -> button, in reading order
    this.shape = "";
    this.current = ""; // the point in the tab order
  }

  /** Makes the buttons of a new board, or keeps the present ones. */
  fit(on, title) {
    this.root.setAttribute("aria-label", `${title} board`);
    const shape = JSON.stringify([on.board.cols, on.board.rows]);
    if (shape === this.shape) return;
    this.shape = shape;
    this.columns = on.columns.length;
    this.names = [...on.where.keys()];
    this.buttons.clear();
    const rows = on.board.rows.map((row) => {
      const line = part("div", "row");
      for (const column of on.columns) line.append(this.#cell(column + row));
      return line;
    });
    this.root.replaceChildren(...rows);
    const middle = Math.floor(on.board.rows.length / 2) * this.columns;
    this.#settle(this.names[middle + Math.floor(this.columns / 2)]);
  }

  #cell(at) {
    const cell = part("span", "gridcell");
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.dataset.at = at;
    cell.append(button);
    this.buttons.set(at, button);
    return cell;
  }

  /** Labels each point: `describe(at)` returns its text, `legal` and `chosen` are sets. */
  update(describe, legal, chosen) {
    for (const [at, button] of this.buttons) {
      const can = legal.has(at);
      set(button, "aria-label", can ? `${describe(at)}, legal` : describe(at));
      set(button, "aria-disabled", can || chosen.has(at) ? null : "true");
      set(button, "aria-pressed", chosen.has(at) ? "true" : null);
    }
    this.legal = legal;
  }

  #settle(at) {
    const before = this.buttons.get(this.current);
    if (before) before.tabIndex = -1;
    this.current = at;
    this.buttons.get(at).tabIndex = 0;
  }

  focus(at) {
    if (!this.buttons.has(at)) return;
    this.#settle(at);
    this.buttons.get(at).focus();
  }

  /** Remembers the point with the focus. */
  visited(at) {
    if (at !== this.current) this.#settle(at);
  }

  /** The point that an arrow key leads to; "" for other keys. */
  step(key) {
    if (!Object.hasOwn(ARROWS, key)) return "";
    return this.beside(this.current, ARROWS[key]) ?? this.current;
  }

  /** The point [columns, rows] away, or null over the edge. */
  beside(at, [dx, dy]) {
    const here = this.names.indexOf(at);
    const [x, y] = [(here % this.columns) + dx, Math.floor(here / this.columns) + dy];
    const inside = x >= 0 && x < this.columns && y >= 0 && y < this.names.length / this.columns;
    return inside ? this.names[y * this.columns + x] : null;
  }

  /** The next legal point in reading order, forwards or backwards; "" if there is none. */
  next(backwards = false) {
    const count = this.names.length;
    const here = this.names.indexOf(this.current);
    for (let away = 1; away <= count; away += 1) {
      const at = this.names[(here + (backwards ? -away : away) + 2 * count) % count];
      if (this.legal.has(at)) return at;
    }
    return "";
  }

  /** The candidate nearest to a place in the window, within `reach` pixels; or "". */
  nearest(candidates, x, y, reach) {
    let [best, least] = ["", reach];
    for (const at of candidates) {
      const box = this.buttons.get(at)?.getBoundingClientRect();
      if (!box) continue;
      const away = Math.hypot(x - box.left - box.width / 2, y - box.top - box.height / 2);
      if (away <= least) [best, least] = [at, away];
    }
    return best;
  }
}

function part(tag, role) {
  const made = document.createElement(tag);
  made.setAttribute("role", role);
  return made;
}

/** Sets an attribute only if it changes, since on a large board setting is slow. */
function set(element, name, value) {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
