/* All of them: every position with 33 legal moves that a game reaches, as a wall of small boards. */

import { ask } from "../../connection.js";
import { choice, clear, el, field } from "../../dom.js";
import { gameCard } from "./game.js";
import { counted, standAt } from "./words.js";

const HEADS = ["Discs", "Candidates", "Reachable", "Black to move", "White to move"];

export async function show(root, { more }) {
  const { totals, positions } = await ask("/api/proofs/census");
  const stones = totals.filter((row) => row.reachable).map((row) => row.stones);
  const select = choice(
    [["", `all ${counted(positions.length)} positions`], ...stones.map((n) => [String(n), `positions with ${n} discs`])],
    "",
    () => paint(),
    { "data-testid": "census-stones" },
  );
  const wall = el("ul", { class: "census-wall", "data-testid": "census-wall" });
  const chosen = el("div", { "data-testid": "census-game" });
  let card = null;
  let turn = 0;

  function paint() {
    const wanted = positions.filter((one) => !select.value || one.stones === Number(select.value));
    clear(wall, wanted.map((one) => el("li", {}, tile(one))));
  }

  function tile(one) {
    const label = `Position ${number(one)}: ${one.stones} discs, ${one.colour} to move`;
    return el(
      "a",
      { class: "census-tile", href: `#/proofs/all/${one.name}`, "aria-label": label, "data-testid": one.name },
      miniature(one.squares),
    );
  }

  async function open(name, step) {
    const mine = ++turn;
    card?.stop();
    const game = await ask(`/api/proofs/records/${name}`);
    if (mine !== turn) return;
    card = gameCard(game, (at) => standAt("all", name, String(at)));
    clear(chosen, card.node);
    card.show(step);
  }

  root.append(
    el("p", { class: "proof-lead" }, lead(positions, totals)),
    totalsTable(totals),
    chosen,
    field("Show", select),
    el("p", { class: "note" }, "Each board is one position; mirror images, turns and exchanged colours are left out. The dots are the 33 moves. Choose a board to see a game that leads there."),
    wall,
  );
  paint();
  if (positions.some((one) => one.name === more[0])) await open(more[0], more[1]);
  return () => {
    turn += 1;
    card?.stop();
  };
}

function lead(positions, totals) {
  const tried = totals.reduce((sum, row) => sum + row.candidates, 0);
  return `33 moves need 33 empty squares, so at most 31 discs, and no position with fewer than 26 has them. All ${counted(tried)} positions with 33 moves on squares that can have been filled were traced backwards. Games reach ${counted(positions.length)} of them, and no others exist.`;
}

function totalsTable(totals) {
  const sum = (key) => totals.reduce((total, row) => total + row[key], 0);
  const whole = { stones: "all", candidates: sum("candidates"), reachable: sum("reachable"), black: sum("black"), white: sum("white") };
  const line = (row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", class: "number" }, row.stones),
      ["candidates", "reachable", "black", "white"].map((key) => el("td", { class: "number" }, counted(row[key]))),
    );
  return el(
    "div",
    { class: "proof-table", tabindex: "0", role: "region", "aria-label": "The census" },
    el(
      "table",
      { "data-testid": "census-totals" },
      el("thead", {}, el("tr", {}, HEADS.map((head) => el("th", { scope: "col", class: "number" }, head)))),
      el("tbody", {}, [...totals, whole].map(line)),
    ),
  );
}

function number({ name }) {
  return name.slice("census-".length);
}

const SVG = "http://www.w3.org/2000/svg";

/** A small picture of 64 squares: X black, O white, * a legal move. */
function miniature(squares) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-0.1 -0.1 8.2 8.2");
  svg.setAttribute("aria-hidden", "true");
  const paths = { X: "", O: "", "*": "" };
  [...squares].forEach((letter, square) => {
    const radius = letter === "*" ? 0.14 : 0.4;
    const x = (square % 8) + 0.5 - radius;
    const y = Math.floor(square / 8) + 0.5;
    const arc = `a${radius} ${radius} 0 1 1`;
    if (letter in paths) paths[letter] += `M${x} ${y}${arc} ${2 * radius} 0${arc} ${-2 * radius} 0z`;
  });
  const lines = Array.from({ length: 9 }, (_, i) => `M0 ${i}h8M${i} 0v8`).join("");
  for (const [name, d] of Object.entries({ lines, black: paths.X, white: paths.O, move: paths["*"] })) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", `census-${name}`);
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
