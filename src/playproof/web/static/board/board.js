// <play-board>: a View of any game as a picture with real buttons over it.
//
// Properties: view, disabled, confirm ("auto", true, false), heat, arrows,
// hover (points to highlight).  Attribute: still (no bar; view only).  Methods: offer(prefix, tokens), reset(), focusPoint(at).
// Events (bubbling, composed): `move` {c, n}, `prefix` {c}, `point` {at, on}.

import { fillBar, spoken } from "./bar.js";
import { fillChoices } from "./choices.js";
import { play } from "./events.js";
import { listen } from "./input.js";
import { describer } from "./names.js";
import { overlay } from "./overlay.js";
import { theme, watchTheme } from "./paper.js";
import { hasPegs } from "./places.js";
import { Points } from "./points.js";
import { preview, whole } from "./preview.js";
import { sheet } from "./style.js";
import { draw, WIDTH } from "./svg.js";
import { Walk } from "./trie.js";

const FINGER = 44; // pixels: a target that a finger hits easily
const TINY = 28; // pixels: on smaller cells a second tap on the point does not confirm
const REACH = 26; // pixels: how far from a point a tap still counts for it
// Properties set before this module was loaded would hide the accessors of the class.
const PROPERTIES = ["disabled", "confirm", "heat", "arrows", "hover", "view"];
const PARTS = `
<div class="stage">
  <div class="picture" aria-hidden="true"></div>
  <svg class="layer marks" aria-hidden="true"></svg>
  <svg class="layer events" aria-hidden="true"></svg>
  <div class="points" role="grid"></div>
  <div class="choices" role="group" hidden></div>
</div>
<div class="bar" part="bar"><ol class="chips" hidden aria-label="Chosen so far"></ol>
  <p class="banner"></p><div class="nudges"></div><div class="buttons"></div></div>
<p class="live" role="status" aria-live="polite"></p>`;

export class PlayBoard extends HTMLElement {
  #view = null;
  #walk = new Walk([]);
  #asked = ""; // identifies the View's choices, to recognise them
  #disabled = false;
  #heat = null;
  #arrows = null;
  #lit = [];
  #over = ""; // the point under mouse or focus
  #shown = null; // the View as drawn
  #on = null; // where its board lies
  #tallest = 0; // reserved height, so that the page below does not jump
  #picture = "";
  #played = ""; // the events already shown
  #before = null; // the View shown before this one
  #drawing = false;
  #confirm = "auto";
  #unwatch = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    root.innerHTML = PARTS;
    const find = (name) => root.querySelector(name);
    this.parts = {
      picture: find(".picture"),
      marks: find(".marks"),
      events: find(".events"),
      points: find(".points"),
      choices: find(".choices"),
      bar: find(".bar"),
      live: find(".live"),
    };
    Object.assign(this.parts.bar, {
      chips: find(".chips"),
      banner: find(".banner"),
      nudges: find(".nudges"),
      buttons: find(".buttons"),
    });
    this.points = new Points(this.parts.points);
    listen(root, this.parts.points, this.points, {
      tap: (at, how) => this.#tap(at, how),
      visit: (at) => this.#visit(at),
      back: () => this.#back(),
    });
  }

  connectedCallback() {
    for (const name of PROPERTIES.filter((own) => Object.hasOwn(this, own))) {
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#unwatch = watchTheme(() => this.#redraw());
    this.#redraw();
  }

  disconnectedCallback() {
    this.#unwatch?.();
  }

  get view() {
    return this.#view;
  }

  /** Sets the position; setting the same one keeps the clicks so far. */
  set view(view) {
    if (!view) return;
    const found = whole(view);
    const asked = question(found);
    if (asked === this.#asked && !this.#walk.chosen) {
      this.#view = found;
    } else {
      this.#asked = asked;
      if (!this.#view || shape(found) !== shape(this.#view)) this.#tallest = 0;
      this.#before = this.#view;
      this.#view = found;
      this.#walk = new Walk(found.legal, found.lazy);
      if (found.lazy && this.#live) this.#ask([]);
    }
    this.#redraw();
  }

  get disabled() {
    return this.#disabled;
  }

  set disabled(off) {
    if (this.#disabled === Boolean(off)) return;
    this.#disabled = Boolean(off);
    this.#walk.reset();
    if (this.#live && !this.#walk.root.known) this.#ask([]);
    this.#redraw();
  }

  get confirm() {
    return this.#confirm;
  }

  /** Whether a complete move needs a second tap: "auto", true or false. */
  set confirm(when) {
    this.#confirm = when;
  }

  get heat() {
    return this.#heat;
  }

  /** {point: 0..1} instead of the View's own heat, or null. */
  set heat(heat) {
    this.#heat = heat;
    this.#redraw();
  }

  get arrows() {
    return this.#arrows;
  }

  /** Arrows in addition to the View's own, or null. */
  set arrows(arrows) {
    this.#arrows = arrows;
    this.#redraw();
  }

  get hover() {
    return this.#lit;
  }

  /** A point or points to highlight, or null. */
  set hover(points) {
    this.#lit = [points ?? []].flat();
    this.#drawMarks();
  }

  /** The clicks made so far. */
  get clicks() {
    return this.#walk.path.map(({ token }) => token);
  }

  /** Clears the clicks, also those of a move that was sent and refused. */
  reset() {
    this.#walk.reset();
    this.#redraw();
  }

  /** The answer to a `prefix` event: [{t, kind, ends, n}]. */
  offer(prefix, tokens) {
    if (this.#walk.offer(prefix, tokens)) this.#redraw();
  }

  focusPoint(at) {
    this.points.focus(at);
  }

  /** Whether clicks have an effect now. */
  get #live() {
    const view = this.#view;
    if (!view || this.#disabled || view.over || view.turn.who === "agent") return false;
    return view.lazy || view.legal.length > 0 || view.actions.length > 0;
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, composed: true, detail }));
  }

  /** Emits after this task, so that a page that has just made the board can listen. */
  #ask(prefix) {
    queueMicrotask(() => this.#emit("prefix", { c: prefix }));
  }

  /** Draws once for all changes of this task. */
  #redraw() {
    if (this.#drawing || !this.#view || !this.isConnected) return;
    this.#drawing = true;
    queueMicrotask(() => {
      this.#drawing = false;
      this.#draw();
    });
  }

  #draw() {
    const { parts } = this;
    const paper = theme();
    this.dataset.paper = paper;
    const base = whole(this.#view, { heat: this.#heat, arrows: this.#arrows });
    this.#shown = preview(base, this.#walk);
    const { svg, on, height } = draw(this.#shown, { theme: paper });
    this.#on = on;
    if (svg !== this.#picture) parts.picture.innerHTML = this.#picture = svg;
    this.#place(on, height);
    this.points.fit(on, this.#view.title);
    this.#drawMarks();
    this.#name();
    this.#drawBar();
    this.#playEvents();
    this.#tell();
  }

  /** Places buttons and layers over the board, in fractions of the picture's size. */
  #place(on, height) {
    const { picture, marks, events, points } = this.parts;
    this.#tallest = Math.max(this.#tallest, height);
    picture.style.aspectRatio = `${WIDTH} / ${this.#tallest}`;
    for (const layer of [marks, events]) layer.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    const part = (length, of) => `${(100 * length) / of}%`;
    points.style.left = part(on.left, WIDTH);
    points.style.width = part(on.width, WIDTH);
    points.style.top = part(on.top, this.#tallest);
    points.style.height = part(on.height, this.#tallest);
  }

  #drawMarks() {
    if (!this.#on) return;
    this.parts.marks.innerHTML = overlay({
      on: this.#on,
      view: this.#shown,
      base: this.#view,
      walk: this.#walk,
      pegs: hasPegs(this.#view),
      over: this.#over,
      lit: this.#lit,
      live: this.#live,
    });
  }

  #name() {
    const live = this.#live;
    const legal = new Set(live ? this.#walk.choices.keys() : []);
    const chosen = new Set(live ? this.clicks : []);
    this.points.update(describer(this.#shown), legal, chosen);
  }

  #drawBar() {
    const shared = { view: this.#view, walk: this.#walk, live: this.#live };
    const act = (what, value) => this.#act(what, value);
    fillBar(this.parts.bar, { ...shared, tiny: this.#cellPixels() < TINY, act });
    const press = (token) => this.#click(token, false);
    const place = { on: this.#on, height: this.#tallest };
    const opened = fillChoices(this.parts.choices, { ...shared, ...place, press });
    if (opened && this.matches(":focus-within")) this.parts.choices.firstChild.focus();
  }

  #playEvents() {
    const key = JSON.stringify([this.#view.events, this.#view.pieces]);
    if (key === this.#played) return;
    this.#played = key;
    const { events } = this.parts;
    const pegs = hasPegs(this.#view);
    play(events, { on: this.#on, view: this.#view, before: this.#before, pegs });
  }

  #tell() {
    const text = spoken(this.#view, this.#walk, this.#live);
    if (this.parts.live.textContent !== text) this.parts.live.textContent = text;
  }

  #cellPixels() {
    return (this.#on.cell * this.parts.picture.clientWidth) / WIDTH;
  }

  /** Whether a complete move needs a second tap, since a finger may have missed. */
  #wantsConfirmation(byKey, touch) {
    if (this.#confirm !== "auto") return Boolean(this.#confirm);
    if (byKey || this.#cellPixels() >= FINGER) return false;
    return touch || matchMedia("(pointer: coarse), (max-width: 480px)").matches;
  }

  #click(token, confirm) {
    if (!this.#live) return;
    const inChoices = this.parts.choices.matches(":focus-within");
    const did = this.#walk.click(token, confirm);
    if (did === "ask") this.#ask(this.#walk.node.tokens);
    this.#after(did);
    if (inChoices) this.points.focus(this.points.current);
  }

  #after(did) {
    if (did === "nothing") return;
    if (did === "move") this.#send(this.#walk.chosen.c, this.#walk.chosen.n);
    this.#redraw();
  }

  #send(c, n) {
    this.#emit("move", { c: [...c], n });
  }

  #act(what, value) {
    if (!this.#live) return;
    if (what === "click") this.#click(value, false);
    else if (what === "play") this.#after(this.#walk.confirm());
    else if (what === "back") this.#back();
    else if (what === "nudge") this.#nudge(value);
    else if (what === "action") {
      this.#after(this.#walk.act({ c: [value.id], n: value.label }));
      // The pressed button is gone, so the focus moves to the board.
      if (this.matches(":focus-within")) this.points.focus(this.points.current);
    }
  }

  #back() {
    const at = this.#walk.path.findLast(({ token }) => this.points.buttons.has(token))?.token;
    const did = this.#walk.back();
    if (did === "nothing") return false;
    this.#after(did);
    // The pressed button is gone, so the focus moves to the board.
    if (at && this.matches(":focus-within")) this.points.focus(at);
    return true;
  }

  /** Moves a pending choice to the next possible point in a direction. */
  #nudge(way) {
    let at = this.#walk.pending?.token ?? null;
    do at = at && this.points.beside(at, way);
    while (at && !this.#walk.choices.has(at));
    if (at) this.#after(this.#walk.click(at, true));
  }

  /** Reports the point under the pointer or focus to the page, and shows its ghost. */
  #visit(at) {
    if (at === this.#over) return;
    if (this.#over) this.#emit("point", { at: this.#over, on: false });
    this.#over = at;
    if (at) this.#emit("point", { at, on: true });
    this.#drawMarks();
  }

  /** Handles a click; a tap that missed every point counts for the nearest. */
  #tap(at, { byKey, touch, x, y }) {
    if (!this.#live) return;
    const { choices, root, pending, chosen } = this.#walk;
    const known = choices.has(at) || root.children.has(at) || this.clicks.includes(at);
    if (touch && !known) at = this.points.nearest(choices.keys(), x, y, REACH) || at;
    const again = at === pending?.token && !chosen;
    if (again && !byKey && this.#cellPixels() < TINY) return;
    this.#click(at, this.#wantsConfirmation(byKey, touch));
  }
}

const shape = ({ game, board }) => JSON.stringify([game, board]);

/** Identifies a View's choices: clicks are kept while it stays the same. */
function question({ game, board, pieces, turn, last, legal, lazy }) {
  return JSON.stringify([game, board, pieces, turn, last, legal, lazy]);
}

customElements.define("play-board", PlayBoard);
