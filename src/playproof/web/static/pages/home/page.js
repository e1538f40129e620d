/* Home: what the lab is, three things to start with, and a link to each page.
   Every picture shows real data: positions of games, a shipped training run, ratings. */

import { button, clear, el, listen } from "../../dom.js";
import { notify } from "../../notices.js";
import { boardOf } from "../../rules/pictures.js";
import { ask } from "../../connection.js";
import { resumeOrStart } from "../shared/last_game.js";
import { curvePicture, ratingsPicture, timesPicture } from "./charts.js";

const DOORS = [
  ["play", "Play", "Othello, Choko, Quantum Go, chess and Go, against the computer or a person."],
  ["analyse", "Analyse", "Paste a game. The computer shows the best move in every position."],
  ["classroom", "Classroom", "Quantum Go as a lesson: stones that are in two places at once."],
  ["games", "Games", "All your games, to continue or to save."],
  ["rules", "Rules", "How each game is played, in plain words and pictures."],
  ["proofs", "Proofs", "No game of Othello gives a player 34 moves. Run the proof and check it."],
  ["truth", "Truth", "Choko is solved: look up openings and the best line, and build tables for other positions. Endings of Othello are solved while you wait."],
  ["train", "Train", "Train a network on a game, and watch its curves."],
  ["tournaments", "Tournaments", "Who is stronger? Tables and ratings, and every game to step through."],
  ["papers", "Papers", "Four research papers: each claim beside our own result."],
];

const WAYS = [
  {
    picture: "play",
    title: "Play Othello against the computer",
    about: "You have the black discs. Numbered squares are your moves: click one.",
    label: "Play now",
    testid: "begin-play",
  },
  {
    picture: "proofs",
    title: "See a proof",
    about: "White has 33 moves to choose from here. A computer proved that nobody can ever have 34.",
    label: "To the proofs",
    href: "#/proofs",
    testid: "begin-proof",
  },
  {
    picture: "truth",
    title: "Is Choko won?",
    about: "Choko is a game from The Gambia. Blue, who moves first, can always win. The numbers show in how many moves, from each first pit.",
    label: "To the truth",
    href: "#/truth",
    testid: "begin-truth",
  },
];

export async function show(root, { connection, catalog }) {
  const frames = []; // [element, picture]
  const data = await ask("/api/home");

  function picture(name) {
    const frame = el("div", { class: "home-picture", "aria-hidden": "true" });
    frames.push([frame, name]);
    return frame;
  }

  root.append(
    el(
      "header",
      { class: "home-head" },
      el("h1", {}, "Play it. Teach it. Prove it."),
      el(
        "p",
        { class: "lead" },
        "Playproof is a laboratory for board games: play them, train networks on them, and prove facts about them. Everything runs on this computer.",
      ),
    ),
    el(
      "section",
      { "aria-labelledby": "ways-head" },
      el("h2", { id: "ways-head", class: "unseen" }, "Start with one of these"),
      el(
        "ul",
        { class: "ways" },
        WAYS.map((way) =>
          el(
            "li",
            { class: "card way" },
            picture(way.picture),
            el(
              "div",
              { class: "stack-small way-words" },
              el("h3", {}, way.title),
              el("p", { class: "note" }, way.about),
              way.href
                ? el("a", { class: "button button-main", href: way.href, "data-testid": way.testid }, way.label)
                : button(way.label, () => play(), { main: true, testid: way.testid }),
            ),
          ),
        ),
      ),
    ),
    el(
      "section",
      { "aria-labelledby": "doors-head" },
      el("h2", { id: "doors-head" }, "All pages"),
      el(
        "ul",
        { class: "doors" },
        DOORS.map(([name, title, about]) =>
          el(
            "li",
            {},
            el(
              "a",
              { class: "card door", href: `#/${name}`, "data-testid": `door-${name}` },
              picture(name),
              el("span", {}, el("strong", {}, title), el("span", { class: "note" }, about, name === "play" && others(catalog))),
            ),
          ),
        ),
      ),
      el(
        "p",
        { class: "note home-jobs" },
        "Proofs, training and tournaments may take a while. They run as ",
        el("a", { href: "#/jobs" }, "jobs"),
        " and keep running while you use other pages.",
      ),
    ),
  );

  async function play() {
    try {
      location.hash = `#/play/${await resumeOrStart(connection, catalog, "othello")}`;
    } catch (trouble) {
      notify(trouble.message);
    }
  }

  function paint() {
    const { theme } = document.documentElement.dataset;
    for (const [frame, name] of frames) clear(frame, drawn(name, data, theme));
  }

  paint();
  return listen(window, { themechange: paint });
}

function drawn(name, data, theme) {
  if (name === "train") return curvePicture(data.curve);
  if (name === "tournaments") return ratingsPicture(data.ratings);
  if (name === "papers") return timesPicture(data.times);
  return boardOf(data.views[name], theme);
}

/** The games from other packages and files, as a sentence. */
function others(catalog) {
  const titles = catalog.games.filter((game) => game.rules).map((game) => game.title);
  return titles.length ? ` Also here: ${titles.join(", ")}.` : "";
}
