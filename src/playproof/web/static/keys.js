/* Keyboard shortcuts: one list, shown under "?", and a switch to turn single keys off
   (someone who speaks to the machine would press them by accident). */

import { button, el } from "./dom.js";
import { recall, remember } from "./storage.js";

const LIST = [
  ["Tab", "go to the next control"],
  ["← ↑ → ↓", "on the board: go to the next point"],
  ["Enter", "on the board: choose the point"],
  ["n", "on the board: go to the next legal point"],
  ["Esc", "take back the clicks of an unfinished move"],
  [", .", "one move back, one move forward"],
  ["< >", "to the start, to the last move"],
  ["h", "hint (Play), start or stop thinking (Analyse)"],
  ["u r", "undo, redo"],
  ["?", "this list"],
];

let handlers = {};

/** The keys of the page that is shown: {",": back, …}; {} when it is left. */
export function useKeys(map) {
  handlers = map;
}

export function startKeys() {
  document.getElementById("keys").addEventListener("click", showKeys);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (recall("keys") === "off" || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const handler = event.key === "?" ? showKeys : handlers[event.key];
    if (!handler) return;
    event.preventDefault();
    handler();
  });
}

function isTyping(target) {
  return target instanceof Element && target.closest("input, select, textarea, [contenteditable]") !== null;
}

function showKeys() {
  const box = el(
    "dialog",
    { "aria-labelledby": "keys-title", onclose: () => box.remove() },
    el("h2", { id: "keys-title", tabindex: "-1", autofocus: true }, "Keyboard shortcuts"),
    el(
      "dl",
      { class: "keys" },
      LIST.map(([keys, does]) =>
        el("div", {}, el("dt", {}, keys.split(" ").map((key) => [el("kbd", {}, key), " "])), el("dd", {}, does)),
      ),
    ),
    el(
      "label",
      { class: "check" },
      el("input", {
        type: "checkbox",
        checked: recall("keys") !== "off",
        onchange: (event) => remember("keys", event.target.checked ? null : "off"),
      }),
      "Single keys work",
    ),
    el("div", { class: "row confirm-row" }, button("Close", () => box.close(), { main: true })),
  );
  document.body.append(box);
  box.showModal();
}
