/* The Quantum Go classroom: a board with its quantum state beside it.

   Without a game it shows the guided tour of the paper's Example 1, opened in the middle
   of the game; with one (#/classroom/ID) a game that a class plays or watches. */

import "../../board/board.js";
import { button, clear, el, listen, setText } from "../../dom.js";
import { useKeys } from "../../keys.js";
import { notify } from "../../notices.js";
import { ask } from "../../connection.js";
import { rememberLesson } from "../shared/last_game.js";
import { dim, movesCard } from "../shared/moves.js";
import { seatsList } from "../shared/seats.js";
import { table } from "../shared/table.js";
import { ending } from "../shared/words.js";
import { chshCard } from "./chsh.js";
import { inviteClass } from "./invite.js";
import { ketCard } from "./ket.js";
import { pointCard } from "./point.js";
import { previewCard } from "./preview.js";
import { startForm, withBorn } from "./start.js";
import { stepBanner } from "./step.js";
import { tourCard } from "./tour.js";

const GAME = "quantum-go";

export async function show(root, { id, connection, catalog, join }) {
  await style();
  return id ? showGame(root, { id, connection, catalog, join }) : showTour(root, { connection, catalog, join });
}

/** The page's own style sheet, loaded once. */
function style() {
  const known = document.getElementById("classroom-style");
  if (known) return null;
  return new Promise((resolve) => {
    const link = el("link", { rel: "stylesheet", href: "/static/pages/classroom/page.css", id: "classroom-style", onload: resolve, onerror: resolve });
    document.head.append(link);
  });
}

/** The parts shared by the tour and a game: board, banner, ket, point, preview, CHSH. */
function lessonParts(board) {
  const banner = stepBanner();
  const point = pointCard();
  let view = null;
  let lesson = null;
  const note = el("span", { "data-testid": "ghost-what" });
  const ghostBar = el(
    "div",
    { class: "ghost-bar", hidden: true },
    el("span", { class: "pill pill-amber" }, "Preview"),
    note,
    button("Back", () => removeGhost(), { testid: "ghost-back" }),
  );
  const preview = previewCard((after, what) => {
    board.view = after ?? view;
    ghostBar.hidden = !after;
    if (after) setText(note, what);
  });
  const ket = ketCard((number) => {
    preview.show(view, lesson, number);
    const part = lesson.ket.parts.find((one) => one.number === number);
    if (part) point.show(part.points[0]);
    board.view = number ? ringed(view, part.points) : view;
  });
  const chsh = chshCard();
  const unlisten = [
    listen(board, {
      point: (event) => {
        if (event.detail.on && event.detail.at) point.show(event.detail.at);
      },
      // Touch has no hover, so a tap counts as pointing.
      click: (event) => point.show(event.composedPath()[0]?.dataset?.at),
    }),
    listen(window, { themechange: () => preview.again() }),
  ];

  function removeGhost() {
    preview.release();
    ghostBar.hidden = true;
    board.view = view;
  }

  /** Shows the lesson of a position; `source` names it for the CHSH card. */
  function take(nextView, nextLesson, source, look = null) {
    view = nextView;
    lesson = nextLesson;
    ghostBar.hidden = true;
    banner.show(lesson.step);
    ket.show(lesson.ket);
    point.load(lesson.points, look);
    preview.show(view, lesson, ket.chosen());
    chsh.load(source, Object.keys(lesson.points));
  }

  return { banner, ghostBar, point, ket, preview, chsh, take, lesson: () => lesson, stop: () => unlisten.forEach((end) => end()) };
}

function ringed(view, points) {
  return { ...view, marks: [...view.marks.filter((mark) => !points.includes(mark.at)), ...points.map((at) => ({ at, k: "ring" }))] };
}

function heading(about) {
  return el(
    "header",
    { class: "class-top" },
    el(
      "div",
      { class: "row row-apart" },
      el("h1", { "data-testid": "title" }, "Quantum Go classroom"),
      el("a", { class: "button no-print", href: `#/rules/${GAME}` }, "Rules"),
    ),
    el("p", { class: "quiet" }, about),
  );
}

function layout(root, about, board, parts, first, more) {
  root.append(
    heading(about),
    el(
      "div",
      { class: "class-grid" },
      el(
        "div",
        { class: "class-board" },
        el(
          "div",
          { class: "class-stays stack-small" },
          parts.banner.node,
          el("section", { class: "board-box", "aria-label": "Board" }, board, parts.ghostBar),
        ),
      ),
      el("div", { class: "class-first" }, first),
      el("div", { class: "class-point" }, parts.point.node),
      el("div", { class: "class-ket" }, parts.ket.node),
      el("div", { class: "class-preview" }, parts.preview.node),
      el("div", { class: "class-wide" }, parts.chsh.node),
      el("div", { class: "stack class-more no-print" }, more),
    ),
  );
}

async function begin(connection, message) {
  const state = await connection.send(message, { quiet: true });
  location.hash = `#/classroom/${state.id}`;
}

// ---- the tour ----

async function showTour(root, { connection, catalog, join }) {
  const tour = await ask("/api/classroom/tour");
  const board = el("play-board", { still: "", "data-testid": "board" });
  board.disabled = true;
  const parts = lessonParts(board);
  const lessons = new Map();
  let now = -1;

  function playOn({ position }) {
    const message = { type: "new", game: tour.game, variant: tour.options, seats: ["human", "human"], text: position };
    return begin(connection, message).catch((trouble) => notify(trouble.message));
  }

  const card = tourCard(tour, go, playOn);
  const invite = inviteClass(join, {});
  invite.show(null);
  const start = startForm(catalog, (message) => begin(connection, message));
  const about = "A board game in which a stone is in two places until it is touched. This page shows what that means.";
  layout(root, about, board, parts, card.node, [start.node, invite.node]);
  useKeys(card.keys);

  async function go(number) {
    now = number;
    const step = tour.steps[number];
    card.show(number);
    board.view = step.view;
    parts.ket.release();
    if (!lessons.has(number)) lessons.set(number, ask(`/api/classroom/tour?step=${number}`));
    try {
      const lesson = await lessons.get(number);
      if (now === number) parts.take(step.view, lesson, `step=${number}`, step.look);
    } catch (trouble) {
      lessons.delete(number);
      notify(trouble.message);
    }
  }

  await go(tour.middle);
  return parts.stop;
}

// ---- a game ----

async function showGame(root, { id, connection, catalog, join }) {
  let requested = "";
  const at = table(connection, { onState: take });
  const board = at.board;
  const parts = lessonParts(board);
  const seats = seatsList(catalog);
  const moves = movesCard((ply) => at.send("goto", { ply }));
  const status = el("p", { class: "status", role: "status", "data-testid": "status" });
  const undo = button("Undo", () => at.state()?.can.undo && at.send("undo"), { testid: "undo" });
  const follow = button("Back to the game", () => at.send("goto", { ply: "last" }), { testid: "follow", main: true });
  const born = el("input", { type: "checkbox", "data-testid": "born", onchange: () => toggleBorn() });
  const bornNote = el("span", { class: "note", id: "born-note" }, "Starts a new game at the start of this turn.");
  born.setAttribute("aria-describedby", bornNote.id);
  const what = el("div", { class: "stack-small what-if", hidden: true });
  const invite = inviteClass(join, {
    sit: (seat) => at.send("join", { id, seat }),
    share: (on) => at.send("share", { on }),
  });
  const start = startForm(catalog, (message) => begin(connection, message));

  const card = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "game-head" },
    el(
      "div",
      { class: "row row-apart" },
      el("h2", { id: "game-head" }, "This game"),
      el("a", { href: "#/classroom", class: "button", "data-testid": "to-tour" }, "Guided tour"),
    ),
    seats.node,
    status,
    what,
    el("div", { class: "row no-print" }, follow, undo),
    el("label", { class: "check no-print" }, born, "Chance decides which stone stays (Born's rule)"),
    bornNote,
  );
  const about = "A stone is in two places until it is touched. Place pairs, touch them, and watch the formula.";
  layout(root, about, board, parts, card, [moves.node, invite.node, start.node]);
  useKeys({ ...moves.keys, u: () => undo.click() });
  const stopPointing = listen(board, { point: (event) => event.detail.on && showConsequence(event.detail.at) });

  async function take(state) {
    if (state.game !== GAME) return;
    board.disabled = !state.can.move;
    seats.show(state);
    moves.show(state);
    invite.show(state);
    setText(status, statusText(state));
    follow.hidden = state.ply === state.of;
    dim(undo, !state.can.undo);
    const source = `id=${encodeURIComponent(id)}&ply=${state.ply}&ver=${state.ver}`;
    requested = source;
    try {
      const lesson = await ask(`/api/classroom/${encodeURIComponent(id)}?ply=${state.ply}`);
      if (requested !== source) return;
      born.checked = lesson.born;
      parts.take(state.view, lesson, source, state.view.last);
      // Its space is kept while places are tried, so that nothing jumps under the pointer.
      what.hidden = !state.can.move || !lesson.preview.choices.some((one) => one.touches);
      clear(what, el("p", { class: "note" }, "Point at a place to see what a stone there would touch."));
    } catch (trouble) {
      if (requested === source) notify(trouble.message);
    }
  }

  function statusText(state) {
    const end = ending(catalog, state);
    if (state.ply < state.of) return "You are looking at an earlier position.";
    if (end) return end;
    if (state.seats.some((seat) => seat.kind === "open")) return "Waiting for players to sit down.";
    return state.can.move ? `Your decision: ${state.view.turn.name}.` : `Waiting for ${state.view.turn.name}.`;
  }

  /** Shows what a stone here would touch, while the last stone of a turn is being placed. */
  function showConsequence(name) {
    const one = parts.lesson()?.preview.choices.find((choice) => choice.name === name && choice.touches);
    if (!one) return clear(what);
    return clear(
      what,
      el("p", { "data-testid": "what-if" }, consequence(one)),
      one.collapses && el("div", { class: "row" }, button(`Show how a turn with ${name} can end`, () => showWays(name), { testid: "look-into" })),
    );
  }

  async function showWays(name) {
    const state = at.state();
    const answer = await ask(`/api/classroom/${encodeURIComponent(id)}?ply=${state.ply}&choice=${name}`).catch((trouble) => notify(trouble.message));
    if (answer) parts.preview.show(withStone(state.view, name), answer, null);
  }

  async function toggleBorn() {
    const lesson = parts.lesson();
    const on = born.checked;
    born.checked = lesson.born; // until the new game is there
    const seated = at.state().seats.map(sameSeat);
    const variant = withBorn(lesson.options, on);
    const message = { type: "new", game: GAME, variant, seats: seated, text: lesson.turn_position };
    await begin(connection, message).catch((trouble) => notify(trouble.message));
  }

  try {
    const state = await connection.send({ type: "join", id }, { quiet: true });
    if (state.game !== GAME) return showMissing(`This is a game of ${state.title}, and the classroom is for Quantum Go.`);
    rememberLesson(id);
  } catch (trouble) {
    return showMissing(trouble.message);
  }

  function showMissing(why) {
    close();
    clear(
      root,
      el("h1", {}, "This game is not here"),
      el("p", { class: "problem", role: "alert" }, why),
      el("p", {}, el("a", { href: "#/classroom" }, "To the classroom")),
    );
    return null;
  }

  function close() {
    stopPointing();
    parts.stop();
    seats.stop();
    at.stop();
  }
  return close;
}

function sameSeat(seat) {
  if (seat.kind === "agent") return seat.spec;
  return seat.you ? "human" : "open";
}

function consequence({ name, collapses, touches, captured }) {
  if (captured.length) return `A stone on ${name} captures ${captured.join(", ")}.`;
  if (!collapses) return `A stone on ${name} touches nothing: the pair stays undecided.`;
  if (!touches.length) return `With a stone on ${name} the new pair collapses at once.`;
  return `With a stone on ${name}, pair${touches.length > 1 ? "s" : ""} ${touches.join(" and ")} and the new pair collapse.`;
}

/** The view with one more stone of the pair that is being placed. */
function withStone(view, name) {
  const partner = view.pieces.find((piece) => piece.w < 1 && !view.links.some((link) => link.a === piece.at || link.b === piece.at));
  if (!partner) return view;
  const stone = { ...partner, id: name, at: name };
  return { ...view, pieces: [...view.pieces, stone], links: [...view.links, { a: partner.at, b: name, c: partner.c, n: partner.t }] };
}
