/* What a page waits for, in a line at the bottom of the window.

   On a new machine the rules of the games are compiled behind the pages: whoever opens a game
   before its turn has come is told what is being compiled and how long that takes.  Anything
   else that takes longer than a moment is told as well, so that no page stands silent. */

import { el } from "./dom.js";

const PATIENCE = 700; // milliseconds before anything is said
const EVERY = 1000; // milliseconds between two looks at how far it is
const waits = new Set();
let timer = null;
let compiling = false;

/** Begins to wait; the function it gives back ends that.  `quiet`: a page that says itself that
    it waits is helped out only where something is compiled. */
export function startWaiting({ quiet = false } = {}) {
  const one = { quiet };
  waits.add(one);
  timer ??= setTimeout(look, PATIENCE);
  return () => {
    if (!waits.delete(one) || waits.size) return;
    clearTimeout(timer);
    timer = null;
    compiling = false;
    say("");
  };
}

/** Whether what is waited for is being compiled: then it takes as long as it takes. */
export function isCompiling() {
  return compiling;
}

async function look() {
  const loud = () => [...waits].some((one) => !one.quiet);
  if (loud() && !compiling) say("Waiting for the lab …");
  const status = await fetch("/api/ready", { credentials: "same-origin" })
    .then((answer) => answer.json())
    .catch(() => ({ text: "" })); // a lab that is gone is told of elsewhere
  if (!waits.size) return;
  compiling = Boolean(status.text);
  if (compiling) say(`Compiling ${status.text}, only this once: about ${status.left} s.`);
  else say(loud() ? "Waiting for the lab …" : "");
  timer = setTimeout(look, EVERY);
}

function say(text) {
  const place = document.getElementById("waiting");
  if (!place || (place.textContent === text && place.hidden === !text)) return;
  place.hidden = !text;
  place.replaceChildren(...(text ? [el("span", {}, text)] : []));
}
