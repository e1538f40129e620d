/* What would happen: pictures of both outcomes, drawn by the board's own renderer. */

import { draw } from "../../board/svg.js";
import { clear, el, setText } from "../../dom.js";
import { number } from "./point.js";

const THUMB = 190; // pixels
const MOST_WAYS = 12; // lines of the list that are shown

/** The view after an outcome: stones that stay are solid, those that go are crossed out. */
export function ghost(view, { stays = [], goes = [], captured = [] }) {
  const gone = new Set([...goes, ...captured]);
  const staying = new Set(stays);
  const single = stays.length === 1; // the rest of a larger group stays entangled
  const settled = (name) => gone.has(name) || (single && staying.has(name));
  const solid = ({ w, t, ...piece }) => piece;
  return {
    ...view,
    pieces: view.pieces.filter((piece) => !gone.has(piece.at)).map((piece) => (single && staying.has(piece.at) ? solid(piece) : piece)),
    links: view.links.filter((link) => !settled(link.a) && !settled(link.b)),
    marks: [
      ...[...gone].map((at) => ({ at, k: "cross" })),
      ...stays.map((at) => ({ at, k: "ring" })),
    ],
    last: [],
    legal: [],
    actions: [],
    steps: [],
  };
}

/** The same, step after step. */
export function ghostOfWay(view, way) {
  const stays = way.decisions.flatMap((one) => (one.stays.length === 1 ? one.stays : []));
  const goes = way.decisions.flatMap((one) => one.goes);
  const after = ghost(view, { goes, captured: way.captured });
  const solid = new Set(stays);
  return {
    ...after,
    pieces: after.pieces.map((piece) => {
      if (!solid.has(piece.at)) return piece;
      const { w, t, ...rest } = piece;
      return rest;
    }),
    marks: [...after.marks, ...stays.filter((at) => !way.captured.includes(at)).map((at) => ({ at, k: "ring" }))],
  };
}

/** A picture of the board alone, without the card around it. */
export function thumbnail(view, alt) {
  const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  const { svg, on } = draw({ ...view, say: "", title: "", score: {} }, { theme, size: THUMB });
  const box = [on.left - 4, on.top - 4, on.width + 8, on.height + 8];
  const cropped = svg.replace(/width="[^"]*" height="[^"]*" viewBox="[^"]*"/, `viewBox="${box.join(" ")}"`);
  const source = `data:image/svg+xml,${encodeURIComponent(cropped)}`;
  return el("img", { class: "thumb", src: source, alt, width: THUMB, height: Math.round((THUMB * box[3]) / box[2]) });
}

/** The card; `look(view, what)` shows an outcome on the large board, `look(null)` removes it. */
export function previewCard(look) {
  const intro = el("p", { "data-testid": "preview-intro" });
  const pictures = el("div", { class: "outcomes", role: "group", "aria-label": "Possible outcomes" });
  const waysHead = el("h3", {}, "All ways this turn can end");
  const ways = el("ol", { class: "ways", "data-testid": "ways" });
  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "preview-head", "data-testid": "preview" },
    el("h2", { id: "preview-head" }, "What would happen"),
    intro,
    pictures,
    waysHead,
    ways,
  );
  let pressed = null;
  let now = null;

  function show(view, lesson, pair) {
    now = [view, lesson, pair];
    release();
    const preview = lesson.preview;
    const choosable = preview.choices.filter((one) => one.goes);
    const shownGroup = pair ?? preview.pairs[0]?.group;
    const possible = !pair && choosable.length ? choosable : preview.pairs.filter((one) => one.group === shownGroup);
    const outcomes = preview.chosen ? [] : possible; // the list of ways has everything then
    setText(intro, introduction(lesson, pair, choosable, outcomes, preview));
    // If an owner chooses, there are no probabilities.
    clear(pictures, outcomes.map((one) => outcome(view, one)));
    const list = pair ? [] : preview.ways;
    waysHead.hidden = ways.hidden = list.length === 0;
    clear(ways, list.slice(0, MOST_WAYS).map((way) => el("li", {}, wayButton(view, way))));
    if (list.length > MOST_WAYS) ways.append(el("li", { class: "note" }, `and ${list.length - MOST_WAYS}${preview.whole ? "" : " or more"} others`));
  }

  function introduction(lesson, pair, choosable, outcomes, preview) {
    if (preview.chosen) {
      const count = preview.ways.length === 1 ? "one way" : `${preview.ways.length} ways`;
      return `If a stone is put on ${preview.chosen}, the turn can end in ${count}.`;
    }
    if (pair) return `Pair ${pair}, if a stone touched it now. Born's rule gives each outcome its probability.`;
    if (choosable.length === 1) return `${lesson.step.who} has no choice: only this is legal.`;
    if (choosable.length) return `${lesson.step.who} decides. Look at each outcome on the board before it happens.`;
    if (outcomes.length) return `No pair is collapsing. If pair ${outcomes[0].group} were touched, it would become one of these.`;
    return "There is no pair on the board that could collapse.";
  }

  function outcome(view, one) {
    const text = `${list(one.stays)} ${one.stays.length === 1 ? "stays" : "stay"}, ${list(one.goes)} ${one.goes.length === 1 ? "goes" : "go"}`;
    const taken = one.captured?.length ? `, ${list(one.captured)} captured` : "";
    const after = ghost(view, one);
    const chance = one.probability === null ? "" : `probability ${number(one.probability)}`;
    const caption = el("span", { class: "outcome-text" }, el("strong", {}, text + taken), chance && el("span", { class: "note" }, chance));
    return toggle("outcome", after, text + taken, thumbnail(after, ""), caption);
  }

  function wayButton(view, way) {
    const steps = way.decisions.map((one) => `${one.who}: ${list(one.stays)}`).join(" → ");
    const taken = way.captured.length ? `, ${list(way.captured)} captured` : "";
    const chance = way.probability !== null && way.probability < 1 ? ` (probability ${number(way.probability)})` : "";
    const text = `${steps || "nothing collapses"}${taken}`;
    return toggle("way", ghostOfWay(view, way), text, `${text}${chance}`);
  }

  /** A button that shows its outcome on hover, and keeps it when pressed. */
  function toggle(kind, after, what, ...children) {
    const one = el(
      "button",
      {
        type: "button",
        class: kind,
        "aria-pressed": "false",
        onclick: () => {
          const on = pressed !== one;
          release();
          if (on) {
            pressed = one;
            one.setAttribute("aria-pressed", "true");
          }
          look(on ? after : null, what);
        },
        onpointerenter: (event) => event.pointerType === "mouse" && look(after, what),
        onpointerleave: (event) => event.pointerType === "mouse" && look(...(pressed?.outcome ?? [null])),
      },
      ...children,
    );
    one.outcome = [after, what];
    return one;
  }

  function release() {
    pressed?.setAttribute("aria-pressed", "false");
    pressed = null;
  }

  return { node, show, release, again: () => now && show(...now) };
}

function list(names) {
  if (names.length < 2) return names[0] ?? "nothing";
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
