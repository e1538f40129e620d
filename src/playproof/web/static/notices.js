/* Notices: one line at the bottom of the window for errors, read out at once. */

import { button, clear, el } from "./dom.js";

const SECONDS = 8;
let timer = null;

export function notify(text) {
  const place = document.getElementById("notices");
  clearTimeout(timer);
  clear(
    place,
    el("div", { class: "toast", "data-testid": "notice" }, el("span", {}, text), button("Close", () => clear(place))),
  );
  timer = setTimeout(() => clear(place), SECONDS * 1000);
}

/** Asks for confirmation of something that cannot be undone; a Promise of true or false. */
export function confirmed(question, yes) {
  return new Promise((resolve) => {
    const box = el(
      "dialog",
      { "aria-labelledby": "confirm-question", onclose: () => finish(box.returnValue === "yes") },
      el("h2", { id: "confirm-question" }, question),
      el(
        "div",
        { class: "row confirm-row" },
        button(yes, () => box.close("yes"), { main: true, testid: "confirm" }),
        button("Cancel", () => box.close("no")),
      ),
    );
    function finish(answer) {
      box.remove();
      resolve(answer);
    }
    document.body.append(box);
    box.showModal();
  });
}
