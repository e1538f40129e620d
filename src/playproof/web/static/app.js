/* The frame of the lab: who may come in, which page is shown, light or dark, and whether
   the line to the server is up. */

import { button, clear, el, field } from "./dom.js";
import { remember } from "./keep.js";
import { startKeys, useKeys } from "./keys.js";
import { closeMenu, startMenu } from "./menu.js";
import { notify } from "./notices.js";
import { HOW_TO_OWN, keyCard } from "./owner.js";
import { Talk, ask } from "./talk.js";

const PAGES = {
  home: ["Home", () => import("./pages/home/page.js")],
  play: ["Play", () => import("./pages/play/page.js")],
  analyse: ["Analyse", () => import("./pages/analyse/page.js")],
  classroom: ["Quantum Go classroom", () => import("./pages/classroom/page.js")],
  games: ["Games", () => import("./pages/games/page.js")],
  rules: ["Rules", () => import("./pages/rules/page.js")],
  proofs: ["Proofs", () => import("./pages/proofs/page.js")],
  truth: ["Truth", () => import("./pages/truth/page.js")],
  train: ["Train", () => import("./pages/train/page.js")],
  tournaments: ["Tournaments", () => import("./pages/tournaments/page.js")],
  papers: ["Papers", () => import("./pages/papers/page.js")],
  jobs: ["Jobs", () => import("./pages/jobs/page.js")],
};
const CHOOSERS = ["play", "analyse"]; // pages that go on to a game by themselves
// `#code=ABC123&go=/play/ID`: the code, or the owner's key, and where to go with it
const INVITATION = /^#(key|code)=([^&]+)(?:&go=(\/[^&]*))?/;
const HUNG_UP = 1008; // WebSocket's code for what the server does not allow
const PATIENCE = 1200; // milliseconds of a broken line before anyone is told

const main = document.getElementById("main");
const talk = new Talk();
let catalog = null;
let join = null;
let leave = null; // the cleanup function of the page that is shown
let last = null; // where we were before
let turn = 0; // counts routes, so that a slow page cannot overtake a quick one

async function start() {
  startTheme();
  startKeys();
  startMenu();
  startLine();
  addEventListener("hashchange", () => {
    // An invitation that is opened in a tab of the lab is a new start, at the place it names.
    if (INVITATION.test(location.hash)) location.reload();
    else if (catalog) route(true);
  });
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the hash is the route
    main.focus();
    main.scrollIntoView();
  });
  try {
    await enter();
    if (!join.entered) return askToEnter();
    await openLab();
  } catch (trouble) {
    clear(main, el("h1", {}, "The lab does not answer"), el("p", { class: "problem" }, trouble.message));
    fillRetry();
  }
}

function fillRetry() {
  main.append(button("Try again", () => location.reload(), { main: true }));
}

/** Shows the key or the code that came with the address, then asks where we stand. */
async function enter() {
  const given = INVITATION.exec(location.hash);
  if (given) {
    history.replaceState(null, "", `#${given[3] ?? "/"}`); // a secret does not stay in sight
    await ask("/api/enter", { [given[1]]: decodeURIComponent(given[2]) }).catch((trouble) => notify(trouble.message));
  }
  join = await ask("/api/join");
  if (given?.[1] === "code") goWhereInvited();
}

/** Whoever comes with the code alone is led to what the owner invites to, if there is such a thing. */
function goWhereInvited() {
  if (join.go && place().name === "home") history.replaceState(null, "", `#${join.go}`);
}

async function openLab() {
  catalog = await ask("/api/catalog");
  document.getElementById("foot").textContent =
    `Playproof ${catalog.version}. Everything here runs on the machine that serves this page.` +
    (join.owner ? "" : ` You are a guest here. ${HOW_TO_OWN}`);
  showWays(true);
  talk.connect();
  countJobs();
  await route(false);
}

function askToEnter(reason = null) {
  document.title = "Join – Playproof";
  showWays(false); // they lead nowhere yet
  if (join.needs_code) return askForCode(reason);
  clear(main, keyCard(enteredLab));
  main.querySelector("input").focus();
}

/** Once code or key were right. */
async function enteredLab() {
  if (catalog) return location.reload(); // this page was in the lab before, and holds what it saw
  join = await ask("/api/join");
  goWhereInvited();
  await openLab();
}

/** The server hung up on us, not the line: a guest who was turned out must come in anew. */
async function checkDoor() {
  const now = await ask("/api/join").catch(() => null); // a lab that is gone is told of elsewhere
  if (!now || now.entered) return;
  join = now;
  talk.close();
  leave?.();
  leave = null;
  turn++;
  askToEnter("You are no longer in the lab. Its owner has a new join code.");
}

function askForCode(reason) {
  const problem = el("p", { class: "problem", role: "alert" });
  const code = el("input", {
    name: "code",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: false,
    maxlength: "12",
    required: true,
    class: "code-input",
  });
  const form = el(
    "form",
    {
      class: "stack",
      onsubmit: async (event) => {
        event.preventDefault();
        problem.textContent = "";
        try {
          await ask("/api/enter", { code: code.value.trim().toUpperCase() });
          await enteredLab();
        } catch (trouble) {
          problem.textContent = trouble.message;
          code.select();
        }
      },
    },
    field("Join code", code, "Eight letters and digits. Whoever started the lab can read it on their screen."),
    problem,
    el("div", { class: "row" }, el("button", { class: "button button-main", type: "submit" }, "Join")),
  );
  clear(main, el("section", { class: "card join-card stack" }, el("h1", {}, "Join the lab"), reason && el("p", { role: "status" }, reason), form, el("p", { class: "note" }, HOW_TO_OWN)));
  code.focus();
}

/** A part of an address as it was meant; as it stands if somebody spoiled it. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where the address points: `#/truth/A1%20E1/2` is a page, what it shows, and more about it. */
function place() {
  const [name = "", id = null, ...more] = location.hash.replace(/^#\/?/, "").split("/");
  return { name: name || "home", id: id ? decoded(id) : null, more: more.map(decoded) };
}

async function route(moved) {
  const mine = ++turn;
  const { name, id, more } = place();
  if (!Object.hasOwn(PAGES, name)) return location.replace("#/");
  closeMenu();
  // A page that can show something else without being built anew has a `go`.
  if (moved && last?.name === name && leave?.go) {
    last = { name, id };
    return leave.go({ id, more });
  }
  // A page that chooses its own game goes from #/play to #/play/ID: that is one move, not two.
  const chose = CHOOSERS.includes(name) && last?.name === name && last.id === null;
  last = { name, id };
  const [title, load] = PAGES[name];
  for (const link of document.querySelectorAll("#brand, #nav a")) {
    if (link.hash === `#/${name === "home" ? "" : name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leave?.();
  leave = null;
  useKeys({});
  talk.leave();
  document.title = `${title} – Playproof`;
  const root = el("div", { class: `page page-${name}`, "data-testid": `page-${name}` });
  try {
    const page = await load();
    if (mine !== turn) return;
    clear(main, root);
    const done = await page.show(root, { id, more, talk, catalog, join });
    if (mine !== turn) return done?.();
    leave = done;
  } catch (trouble) {
    if (mine !== turn) return;
    console.warn(trouble);
    clear(root, el("h1", {}, title), el("p", { class: "problem", role: "alert" }, trouble.message));
    clear(main, root);
  }
  if (moved && !chose) {
    main.focus({ preventScroll: true });
    // A page begins at its top, unless what was asked for stands further down.
    if (leave?.at) leave.at.scrollIntoView({ block: "start" });
    else scrollTo(0, 0);
  }
}

function showWays(there) {
  for (const id of ["nav", "menu"]) document.getElementById(id).hidden = !there;
}

/** How many jobs run now, at the top of every page. */
function countJobs() {
  const sign = document.getElementById("running");
  talk.watch?.("jobs", ({ jobs }) => {
    const count = jobs.filter((job) => job.state === "running").length;
    sign.hidden = count === 0;
    sign.textContent = count === 1 ? "1 job" : `${count} jobs`;
    sign.setAttribute("aria-label", `${sign.textContent} running`);
  });
}

function startTheme() {
  const root = document.documentElement;
  const knob = document.getElementById("theme");
  const show = () => knob.setAttribute("aria-pressed", String(root.dataset.theme === "dark"));
  addEventListener("themechange", show);
  knob.addEventListener("click", () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    remember("theme", root.dataset.theme);
    dispatchEvent(new Event("themechange"));
  });
  show();
}

function startLine() {
  const banner = document.getElementById("line");
  let timer = null;
  talk.addEventListener("down", (event) => {
    if (event.detail.code === HUNG_UP) checkDoor();
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!talk.wanted) return; // there is no line any more
      banner.textContent = "The line to the lab is broken. Trying again …";
      banner.hidden = false;
    }, PATIENCE);
  });
  talk.addEventListener("up", () => {
    clearTimeout(timer);
    banner.hidden = true;
    banner.textContent = "";
  });
  talk.addEventListener("error", (event) => notify(event.detail.msg));
}

start();
