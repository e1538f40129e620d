/* The waiting line at the bottom of the window.

   On a new machine the rules of the games are compiled in the background.  If a page needs a
   game before that, the line shows what is being compiled and how long that takes.  Other waits
   show after a moment, so that no page seems dead. */

import { el } from "./dom.js";

const PATIENCE = 700; // milliseconds before the line appears
const EVERY = 1000; // milliseconds between two requests of the status
const waits = new Set();
let timer = null;
let compiling = false;

/** Starts a wait; the returned function ends it.  `quiet`: the page shows itself that it waits,
    so the line appears only if something is being compiled. */
export function startWaiting({ quiet = false } = {}) {
  const one = { quiet };
  waits.add(one);
  timer ??= setTimeout(showStatus, PATIENCE);
  return () => {
    if (!waits.delete(one) || waits.size) return;
    clearTimeout(timer);
    timer = null;
    compiling = false;
    showText("");
  };
}

/** Whether kernels are being compiled, so that answers may take long. */
export function isCompiling() {
  return compiling;
}

async function showStatus() {
  const visible = () => [...waits].some((one) => !one.quiet);
  if (visible() && !compiling) showText("Waiting for the lab …");
  const status = await fetch("/api/ready", { credentials: "same-origin" })
    .then((answer) => answer.json())
    .catch(() => ({ text: "" })); // an unreachable lab is reported elsewhere
  if (!waits.size) return;
  compiling = Boolean(status.text);
  if (compiling) showText(`Compiling ${status.text} (only once): about ${status.left} s.`);
  else showText(visible() ? "Waiting for the lab …" : "");
  timer = setTimeout(showStatus, EVERY);
}

function showText(text) {
  const place = document.getElementById("waiting");
  if (!place || (place.textContent === text && place.hidden === !text)) return;
  place.hidden = !text;
  place.replaceChildren(...(text ? [el("span", {}, text)] : []));
}
