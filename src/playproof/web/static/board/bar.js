// The bar under the board: the next step, the clicks so far, and buttons for actions.

import { eventWords, tokenName } from "./names.js";
import { isToken } from "./places.js";

const NUDGES = [
  ["left", "←", [-1, 0]],
  ["up", "↑", [0, -1]],
  ["down", "↓", [0, 1]],
  ["right", "→", [1, 0]],
];

/** Fill the bar.  `act(what, value)` is called by its buttons: "click" a token,
 * "action" one of view.actions, "play" what waits, "back", "nudge" it (`tiny`
 * boards, where a finger cannot choose between neighbours). */
export function fillBar(bar, { view, walk, live, tiny, act }) {
  const focused = bar.getRootNode().activeElement?.dataset?.key;
  const nudging = live && tiny && walk.pending !== null && !walk.chosen;
  const chips = nudging ? [] : walk.path.map((node, i) => chip(view, node, i + 1));
  bar.chips.replaceChildren(...chips);
  bar.chips.hidden = !chips.length;
  bar.banner.textContent = bannerText(view, walk, live);
  const nudges = nudging ? NUDGES.map((nudge) => nudgeButton(nudge, act)) : [];
  const buttons = live ? [...moves(view, walk, act)] : [];
  bar.nudges.replaceChildren(...nudges);
  bar.buttons.replaceChildren(...buttons);
  if (focused) [...nudges, ...buttons].find(({ dataset }) => dataset.key === focused)?.focus();
}

function chip(view, node, number) {
  const made = make("li", "chip");
  const name = isToken(node.token) ? tokenName(view, node) : node.token;
  made.append(make("small", "", String(number)), ` ${name}`);
  return made;
}

function nudgeButton([name, sign, way], act) {
  return button(sign, `nudge-${name}`, () => act("nudge", way), `Move the choice ${name}`);
}

/** The text that says what the next click does. */
export function bannerText(view, walk, live) {
  if (view.over) return "Game over";
  if (!live) return view.turn.name ? `${view.turn.name} to move` : "";
  if (walk.pending && !walk.chosen) return `Play ${walk.pending.move.n}?`;
  if (!walk.node.known) return "One moment …";
  return view.steps[walk.path.length] ?? "";
}

/** The text for screen readers: the last moves and the position, or the clicks so far and what
 * the next click does. */
export function spoken(view, walk, live) {
  const chosen = walk.path.map(({ token }) => token).join(", ");
  if (chosen) return `${chosen} chosen. ${bannerText(view, walk, live)}`.trim();
  const ended = view.over && view.over !== view.say ? view.over : "";
  const heard = [view.announcement, ...view.events.map(eventWords), ended, view.say];
  return heard.filter(Boolean).join(" ");
}

function* moves(view, walk, act) {
  const node = walk.pending ?? walk.node;
  if (!walk.chosen && node.move) {
    const play = button(`Play ${node.move.n}`, "play", () => act("play"));
    play.classList.add("main");
    yield play;
  }
  for (const child of walk.choices.values()) {
    if (!child.token.startsWith("hand:")) continue;
    yield button(tokenName(view, child), child.token, () => act("click", child.token));
  }
  if (walk.canGoBack) yield button("Take back", "back", () => act("back"));
  else if (!walk.chosen) {
    for (const { id, label } of view.actions) {
      yield button(label, `action-${id}`, () => act("action", { id, label }));
    }
  }
}

function button(label, key, press, name = "") {
  const made = make("button", "", label);
  made.type = "button";
  made.dataset.key = key;
  if (name) made.setAttribute("aria-label", name);
  made.addEventListener("click", press);
  return made;
}

function make(tag, className, text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}
