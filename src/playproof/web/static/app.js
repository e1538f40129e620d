/* The frame of the lab: access, routing between pages, the theme, and the state of the
   connection to the server. */

import { button, clear, el, field } from "./dom.js";
import { remember } from "./storage.js";
import { startKeys, useKeys } from "./keys.js";
import { closeMenu, startMenu } from "./menu.js";
import { notify } from "./notices.js";
import { HOW_TO_OWN, keyCard } from "./owner.js";
import { Connection, ask } from "./connection.js";

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
const CHOOSERS = ["play", "analyse"]; // pages that open a game by themselves
// `#code=ABC123&go=/play/ID`: the code, or the owner's key, and the page to open
const INVITATION = /^#(key|code)=([^&]+)(?:&go=(\/[^&]*))?/;
const HUNG_UP = 1008; // WebSocket's code for a policy violation
const PATIENCE = 1200; // milliseconds without a connection before the banner appears

const main = document.getElementById("main");
const connection = new Connection();
let catalog = null;
let join = null;
let leave = null; // the cleanup function of the page that is shown
let last = null; // the previous route
let turn = 0; // counts routes, so that a slow page cannot overtake a quick one

async function start() {
  startTheme();
  startKeys();
  startMenu();
  startConnectionBanner();
  addEventListener("hashchange", () => {
    // An invitation opened in a tab of the lab restarts the page at the place it names.
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

/** Sends the key or code from the address, if there is one, then asks for our access. */
async function enter() {
  const given = INVITATION.exec(location.hash);
  if (given) {
    history.replaceState(null, "", `#${given[3] ?? "/"}`); // remove the secret from the address bar
    await ask("/api/enter", { [given[1]]: decodeURIComponent(given[2]) }).catch((trouble) => notify(trouble.message));
  }
  join = await ask("/api/join");
  if (given?.[1] === "code") followInvitation();
}

/** Opens the page that the owner invites to, if the address has only the code. */
function followInvitation() {
  if (join.go && place().name === "home") history.replaceState(null, "", `#${join.go}`);
}

async function openLab() {
  catalog = await ask("/api/catalog");
  document.getElementById("foot").textContent =
    `Playproof ${catalog.version}. Everything here runs on the machine that serves this page.` +
    (join.owner ? "" : ` You are a guest here. ${HOW_TO_OWN}`);
  showNavigation(true);
  connection.connect();
  countJobs();
  await route(false);
}

function askToEnter(reason = null) {
  document.title = "Join – Playproof";
  showNavigation(false); // the pages are not accessible yet
  if (join.needs_code) return askForCode(reason);
  clear(main, keyCard(enteredLab));
  main.querySelector("input").focus();
}

/** Opens the lab once the code or key was accepted. */
async function enteredLab() {
  if (catalog) return location.reload(); // this page was in the lab before and holds old state
  join = await ask("/api/join");
  followInvitation();
  await openLab();
}

/** Called when the server closes the connection: a guest who was removed must join again. */
async function checkAccess() {
  const now = await ask("/api/join").catch(() => null); // an unreachable lab is reported elsewhere
  if (!now || now.entered) return;
  join = now;
  connection.close();
  leave?.();
  leave = null;
  turn++;
  askToEnter("You are no longer in the lab. Its owner has made a new join code.");
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

/** A decoded part of an address; unchanged if it is malformed. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The parts of the address: `#/truth/A1%20E1/2` has a page name, an id and further parts. */
function place() {
  const [name = "", id = null, ...more] = location.hash.replace(/^#\/?/, "").split("/");
  return { name: name || "home", id: id ? decoded(id) : null, more: more.map(decoded) };
}

async function route(moved) {
  const mine = ++turn;
  const { name, id, more } = place();
  if (!Object.hasOwn(PAGES, name)) return location.replace("#/");
  closeMenu();
  // A page that can show another id without being rebuilt has a `go`.
  if (moved && last?.name === name && leave?.go) {
    last = { name, id };
    return leave.go({ id, more });
  }
  // A page that chooses its own game goes from #/play to #/play/ID, which counts as one navigation.
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
  connection.leave();
  document.title = `${title} – Playproof`;
  const root = el("div", { class: `page page-${name}`, "data-testid": `page-${name}` });
  try {
    const page = await load();
    if (mine !== turn) return;
    clear(main, root);
    const done = await page.show(root, { id, more, connection, catalog, join });
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
    // Scroll to the top, unless the requested part is further down.
    if (leave?.at) leave.at.scrollIntoView({ block: "start" });
    else scrollTo(0, 0);
  }
}

function showNavigation(there) {
  for (const id of ["nav", "menu"]) document.getElementById(id).hidden = !there;
}

/** Shows the number of running jobs at the top of every page. */
function countJobs() {
  const sign = document.getElementById("running");
  connection.watch?.("jobs", ({ jobs }) => {
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

function startConnectionBanner() {
  const banner = document.getElementById("line");
  let timer = null;
  connection.addEventListener("down", (event) => {
    if (event.detail.code === HUNG_UP) checkAccess();
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!connection.active) return; // closed on purpose
      banner.textContent = "The connection to the lab is lost. Reconnecting …";
      banner.hidden = false;
    }, PATIENCE);
  });
  connection.addEventListener("up", () => {
    clearTimeout(timer);
    banner.hidden = true;
    banner.textContent = "";
  });
  connection.addEventListener("error", (event) => notify(event.detail.msg));
}

start();
