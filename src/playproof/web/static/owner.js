/* The owner's controls: entering the key, renewing the join code, removing guests. */

import { button, el, field } from "./dom.js";
import { confirmed, notify } from "./notices.js";
import { ask } from "./connection.js";

export const HOW_TO_OWN = "If you started this lab, open the link that playproof serve printed: it makes you its owner.";

/** The form for the owner's key; `entered` is called when it was accepted. */
export function keyCard(entered) {
  const problem = el("p", { class: "problem", role: "alert" });
  const key = el("input", { name: "key", type: "password", autocomplete: "off", required: true });
  const form = el(
    "form",
    {
      class: "stack",
      onsubmit: async (event) => {
        event.preventDefault();
        problem.textContent = "";
        try {
          await ask("/api/enter", { key: key.value.trim() });
          await entered();
        } catch (trouble) {
          problem.textContent = trouble.message;
          key.select();
        }
      },
    },
    field("Key", key, "It is in the file lab.key in the lab's data folder, which only the owner can read."),
    problem,
    el("div", { class: "row" }, el("button", { class: "button button-main", type: "submit" }, "Open the lab")),
  );
  return el("section", { class: "card join-card stack" }, el("h1", {}, "This lab has an owner"), el("p", {}, HOW_TO_OWN), form);
}

/** Buttons for the owner beside the join code; `changed` is called when `join` has a new one. */
export function guestControls(join, changed) {
  async function change(path, question, yes, done) {
    if (!(await confirmed(question, yes))) return;
    try {
      Object.assign(join, await ask(path, {}));
      notify(done);
      changed();
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  return el(
    "div",
    { class: "row" },
    button(
      "New code",
      () =>
        change(
          "/api/join/renew",
          "Make a new join code? The old code and links with it will stop working. Guests who are here stay.",
          "Make a new code",
          "A new join code has been made.",
        ),
      { testid: "renew-code" },
    ),
    button(
      "Remove guests",
      () =>
        change(
          "/api/join/turn-out",
          "Remove all guests? They lose their seats, and need the new join code to come back.",
          "Remove them",
          "All guests have left, and a new join code has been made.",
        ),
      { testid: "turn-out" },
    ),
  );
}
