// A View as an SVG picture: the twin of formats/svg/drawing.py, byte for byte.
// A test compares both, so change them together.

import { firstSide, hasPegs, sideName } from "./places.js";
import { drawBoard, drawHeat, drawLast, drawTints, grid } from "./svg_board.js";
import { drawArrows, drawDetail, drawLink, drawMark, drawPiece, radius } from "./svg_pieces.js";
import { COLOURS, FONT, GROUNDS, PAPERS, tone } from "./svg_theme.js";
import { escape, fit, num, tag, text, width, wrap } from "./svg_write.js";

export const WIDTH = 480;
const PAD = 20;
const RIGHT = WIDTH - PAD;
const SMALL = 12.5; // size of running text
const ROW = 26; // height of a hand's row
const MOST_SLOTS = 20; // a hand with more is only written as text
const { AMBER, AMBER_INK, SWATCH } = COLOURS;

/** The picture as text; `size` is its width in pixels. */
export function render(view, options = {}) {
  return draw(view, options).svg;
}

/** The picture as text, and where the board lies in it: {svg, on, height}. */
export function draw(view, { theme = "light", size = 480 } = {}) {
  if (!Object.hasOwn(PAPERS, theme)) {
    throw new RangeError(`no theme '${theme}': choose light or dark`);
  }
  if (!(size > 0)) throw new RangeError(`size must be at least 1 pixel, not ${size}`);
  const card = new Card(view, PAPERS[theme]);
  const height = card.draw();
  const head =
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${num(size)}" ` +
    `height="${num((size * height) / WIDTH)}" viewBox="0 0 ${num(WIDTH)} ${num(height)}" ` +
    `font-family="${escape(FONT)}">`;
  const about = `<title>${escape(view.title)}</title><desc>${escape(described(view))}</desc>`;
  const svg = `${[head, about, ground(card.paper, height), ...card.parts, "</svg>"].join("\n")}\n`;
  return { svg, on: card.on, height };
}

function described(view) {
  return view.over && view.over !== view.say ? `${view.over} ${view.say}` : view.say;
}

function ground(paper, height) {
  const box = { x: 0.5, y: 0.5, width: WIDTH - 1, height: height - 1, rx: 12 };
  return tag("rect", { ...box, fill: paper.card, stroke: paper.edge });
}

/** The picture being drawn from top to bottom; `y` is the current height. */
class Card {
  constructor(view, paper) {
    this.view = view;
    this.paper = paper;
    this.pegs = hasPegs(view);
    this.kind = usualKind(view);
    this.parts = [];
    this.y = 16;
  }

  /** Fills `parts`; returns the height of the picture. */
  draw() {
    const view = this.view;
    this.header();
    // The first hand is the first player's and lies below, nearest to the reader.
    for (const hand of view.hands.slice(1).reverse()) this.hand(hand);
    this.board();
    for (const hand of view.hands.slice(0, 1)) this.hand(hand);
    if (view.flag && view.hands.every((hand) => hand.c !== view.flag.c)) {
      this.flag(view.flag, this.y + ROW / 2);
      this.y += ROW;
    }
    if (view.over) this.strip(view.over, { bold: true });
    if (view.formula) {
      this.strip(view.formula, { family: "'STIX Two Math', 'DejaVu Serif', serif" });
    }
    this.y += 2;
    const said = view.say === view.over ? "" : view.say;
    for (const line of wrap(said, SMALL, RIGHT - PAD)) {
      this.parts.push(text(PAD, this.y + 10, line, SMALL, this.paper.quiet));
      this.y += 18;
    }
    return this.y + 12;
  }

  header() {
    const middle = this.y + 13;
    let left = this.pill(middle);
    for (const [colour, value] of Object.entries(this.view.score).reverse()) {
      left = this.score(left, middle, colour, num(value));
    }
    const title = fit(this.view.title, 17, left - PAD - 14, true);
    this.parts.push(text(PAD, middle, title, 17, this.paper.text, { bold: true }));
    this.y += 36;
  }

  /** Whose turn it is, at the right; returns its left end. */
  pill(middle) {
    const { turn, over } = this.view;
    const says = fit(over ? "Game over" : `${turn.name} to move`, SMALL, 180, true);
    const swatch = turn.c && !over ? 19 : 0;
    const wide = width(says, SMALL, true) + swatch + 20;
    const left = RIGHT - wide;
    this.box(left, middle - 12, wide, 24, 12, this.paper.raised);
    if (swatch) this.swatch(left + 17, middle, turn.c);
    // Widths are estimates: centring splits their error evenly.
    const x = left + (wide + swatch) / 2;
    const style = { anchor: "middle", bold: true };
    this.parts.push(text(x, middle, says, SMALL, this.paper.text, style));
    return left;
  }

  box(x, y, wide, height, rx, fill) {
    this.parts.push(tag("rect", { x, y, width: wide, height, rx, fill }));
  }

  score(right, middle, colour, value) {
    const left = right - 12 - width(value, SMALL, true);
    if (left - 21 < PAD) return right; // no room before the card's edge
    this.parts.push(text(left, middle, value, SMALL, this.paper.text, { bold: true }));
    this.swatch(left - 13, middle, colour);
    return left - 20;
  }

  /** A side's piece on grey, where black and white both show. */
  swatch(x, y, colour) {
    this.box(x - 8, y - 8, 16, 16, 4, SWATCH);
    this.smallPiece(x, y, 6, colour);
  }

  smallPiece(x, y, size, colour) {
    const of = tone(colour, this.pegs);
    const edge = { stroke: of.edge, "stroke-width": 0.8 };
    this.parts.push(tag("circle", { cx: x, cy: y, r: size, fill: of.fill, ...edge }));
    // At this size only what distinguishes the sides is drawn.
    if (this.kind === "peg") {
      this.parts.push(...drawDetail(x, y, size / radius("peg"), "peg", of));
    }
  }

  hand(hand) {
    const middle = this.y + ROW / 2;
    this.swatch(PAD + 8, middle, hand.c);
    const name = sideName(this.view, hand.c);
    const says = fit(`${name}: ${num(hand.n)} in hand`, SMALL, 180);
    this.parts.push(text(PAD + 23, middle, says, SMALL, this.paper.quiet));
    this.tray(PAD + 33 + width(says, SMALL), middle, hand);
    if (this.view.flag && this.view.flag.c === hand.c) this.flag(this.view.flag, middle);
    this.y += ROW;
  }

  tray(left, middle, hand) {
    const slots = Math.max(hand.of, hand.n);
    if (!(slots > 0 && slots <= MOST_SLOTS)) return;
    const pitch = Math.min(13.5, 170 / slots);
    const on = GROUNDS[this.view.board.style];
    this.box(left, middle - 9, pitch * slots + 7, 18, 5, on.fill);
    for (let slot = 0; slot < slots; slot += 1) {
      const x = left + 3.5 + (slot + 0.5) * pitch;
      const size = 0.4 * pitch;
      if (slot < hand.n) {
        this.smallPiece(x, middle, size, hand.c);
        continue;
      }
      const edge = { stroke: on.line, "stroke-width": 0.8, "stroke-dasharray": "1.5 1.2" };
      this.parts.push(tag("circle", { cx: x, cy: middle, r: size, fill: "none", ...edge }));
    }
  }

  /** A badge at the right.  The flag is drawn: not every font has the sign. */
  flag(flag, middle) {
    const says = fit(flag.t, 11, 150, true);
    const wide = width(says, 11, true) + 34;
    const left = RIGHT - wide;
    this.box(left, middle - 9, wide, 18, 9, AMBER);
    const [x, y] = [num(left + 10), num(middle - 5.5)];
    const path = `M${x} ${y}h1.4v.6h7l-2 2.6 2 2.6h-7v5.2h-1.4z`;
    this.parts.push(tag("path", { d: path, fill: AMBER_INK }));
    const centre = left + 23 + (wide - 34) / 2;
    const style = { anchor: "middle", bold: true };
    this.parts.push(text(centre, middle, says, 11, AMBER_INK, style));
  }

  /** A raised band across the card. */
  strip(says, { bold = false, family } = {}) {
    const lines = wrap(says, SMALL, RIGHT - PAD - 20, bold);
    const tall = 18 * lines.length + 10;
    this.box(PAD, this.y, RIGHT - PAD, tall, 6, this.paper.raised);
    lines.forEach((line, number) => {
      const y = this.y + 14 + 18 * number;
      this.parts.push(text(PAD + 10, y, line, SMALL, this.paper.text, { bold, family }));
    });
    this.y += tall + 8;
  }

  board() {
    const { view, parts } = this;
    const on = grid(view, WIDTH / 2, this.y + 10);
    this.on = on;
    parts.push(...drawBoard(on, this.paper), ...drawTints(view, on), ...drawHeat(view, on));
    const first = firstSide(view);
    for (const link of view.links) {
      parts.push(...drawLink(link, on, this.pegs, radius(this.kind), link.c === first));
    }
    for (const piece of view.pieces) parts.push(...drawPiece(piece, on, this.pegs));
    parts.push(...drawLast(view, on));
    for (const mark of view.marks) parts.push(...drawMark(mark, on));
    parts.push(...drawArrows(view.arrows, on));
    this.y = on.top + on.height + 28;
  }
}

/** The kind of piece that stands for a side in the header and in trays. */
export function usualKind(view) {
  if (hasPegs(view)) return "peg";
  return view.pieces.length ? view.pieces[0].k : "disc";
}
