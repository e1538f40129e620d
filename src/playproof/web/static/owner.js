/* The owner's side of the door: how to show the key, renew the join code, turn guests out. */

import { button, el, field } from "./dom.js";
import { confirmed, notify } from "./notices.js";
import { ask } from "./talk.js";

export const HOW_TO_OWN = "If you started this lab, open the link that playproof serve printed: it makes you its owner.";

/** Asks for the key of a lab that has no guests; `entered` is called once it was right. */
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
    field("Key", key, "It is in the file lab.key of the lab's data folder, which its owner alone can read."),
    problem,
    el("div", { class: "row" }, el("button", { class: "button button-main", type: "submit" }, "Open the lab")),
  );
  return el("section", { class: "card join-card stack" }, el("h1", {}, "This lab has an owner"), el("p", {}, HOW_TO_OWN), form);
}

/** For the owner, beside the join code; `changed` is called when `join` has another one. */
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
          "Make a new join code? The old one, and links with it, will open nothing. Those who are in stay.",
          "Make a new code",
          "There is a new join code.",
        ),
      { testid: "renew-code" },
    ),
    button(
      "Turn guests out",
      () =>
        change(
          "/api/join/turn-out",
          "Turn all guests out? They lose their seats, and need the new join code to come back.",
          "Turn them out",
          "All guests are out, and there is a new join code.",
        ),
      { testid: "turn-out" },
    ),
  );
}
