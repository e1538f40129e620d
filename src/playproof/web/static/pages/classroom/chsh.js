/* The CHSH demonstration: four questions, four correlations, a sum that stays within 2. */

import { button, choice, clear, el, field, setText } from "../../dom.js";
import { ask } from "../../connection.js";
import { number } from "./point.js";

const SCALE = 3; // the right end of the picture
const SETTINGS = [
  ["a", "Alice asks at"],
  ["a2", "or at"],
  ["b", "Bob asks at"],
  ["b2", "or at"],
];
const COUNTS = [
  ["20", "20"],
  ["1000", "1,000"],
  ["100000", "100,000"],
];

/** The card; `load(source, names)` shows a position: source is "step=3" or "id=…&ply=…". */
export function chshCard() {
  let source = "";
  let results = null;
  let seed = 1;
  let degrees = 45;
  const selects = Object.fromEntries(SETTINGS.map(([name]) => [name, choice([], null, () => measure(true), { name })]));
  const count = choice(COUNTS, "1000", null, { name: "collapses" });
  const result = el("p", { class: "chsh-result", role: "status", "data-testid": "chsh-result" });
  const scale = el("div", { class: "scale", role: "img", "aria-label": "S, not measured yet", "data-testid": "chsh-scale" });
  const tableBox = el("div", { class: "chsh-table" });
  const sampled = el("p", { "data-testid": "chsh-sampled" });
  const first = el("div", { class: "chsh-first" });
  const realLine = el("p", { "data-testid": "chsh-real" });
  const problem = el("p", { class: "problem", role: "alert" });
  const angle = el("input", {
    type: "range",
    min: "0",
    max: "90",
    step: "5",
    value: "45",
    class: "tour-bar",
    "aria-label": "Rotation of Bob's instruments, in degrees",
    oninput: () => turn(),
  });

  const node = el(
    "section",
    { class: "card stack chsh-card", "aria-labelledby": "chsh-head", "data-testid": "chsh" },
    el("h2", { id: "chsh-head" }, "Is this real quantum physics? Try to beat 2"),
    el(
      "p",
      {},
      "Alice and Bob are far apart. In each round Alice looks at one of two points, Bob at one of two others, and each says ",
      el("strong", {}, "+1"),
      " (a stone) or ",
      el("strong", {}, "−1"),
      " (none). How often their answers agree gives a number S. Answers that were decided beforehand " +
        "give at most 2. Real entangled particles reach 2.83.",
    ),
    el("div", { class: "chsh-fields" }, SETTINGS.map(([name, label]) => field(label, selects[name]))),
    el("div", { class: "row" }, button("Find the best points", () => measure(false), { testid: "chsh-best" })),
    problem,
    result,
    scale,
    el(
      "div",
      { class: "chsh-two" },
      el("div", { class: "stack-small" }, el("h3", {}, "The four correlations"), tableBox),
      el(
        "div",
        { class: "stack-small" },
        el("h3", {}, "Try it: collapse the board many times"),
        el(
          "div",
          { class: "row chsh-run" },
          field("Collapses", count),
          button("Collapse", () => run(), { testid: "chsh-run", main: true }),
        ),
        sampled,
        first,
      ),
    ),
    el(
      "div",
      { class: "stack-small chsh-real" },
      el("h3", {}, "Real qubits, for comparison"),
      el(
        "p",
        {},
        "With two real particles in the state of a pair you can ask a second kind of question, by turning the instrument. " +
          "No move of this game can do that. Turn Bob's instruments:",
      ),
      angle,
      realLine,
    ),
    el(
      "p",
      { class: "caveat", "data-testid": "caveat" },
      el("strong", {}, "Note: "),
      "the game is a picture of quantum theory, not the thing itself. Its correlations are classical, as those of " +
        "two gloves in two boxes. Ranchin says so himself: the most interesting quantum phenomena have no analogue " +
        "in Quantum Go, and what is measured obeys the Bell and CHSH inequalities.",
    ),
  );

  async function load(next, names) {
    if (next === source) return;
    source = next;
    for (const select of Object.values(selects)) {
      if (select.options.length !== names.length || select.options[0]?.value !== names[0])
        clear(select, names.map((name) => el("option", { value: name }, name)));
    }
    await measure(false);
  }

  async function measure(chosen, more = {}) {
    const query = new URLSearchParams({ n: count.value, seed: String(seed), ...more });
    if (chosen) {
      for (const [name, select] of Object.entries(selects)) query.set(name, select.value);
      const shared = [selects.a, selects.a2].find(({ value }) => value === selects.b.value || value === selects.b2.value);
      if (shared) return setText(problem, `${shared.value} for both: choose points for Bob that are not Alice's.`);
    }
    const mine = source;
    try {
      const answer = await ask(`/api/classroom/chsh?${source}&${query}`);
      if (mine !== source) return null;
      results = answer;
      setText(problem, "");
      show();
    } catch (trouble) {
      if (mine === source) setText(problem, trouble.message);
    }
    return null;
  }

  function run() {
    seed += 1;
    measure(true);
  }

  function show() {
    for (const [name, select] of Object.entries(selects)) select.value = results.settings[name];
    setText(result, `S = ${number(results.S)} in this game. It can never be more than 2.`);
    clear(tableBox, correlations());
    const { experiment } = results;
    setText(
      sampled,
      `${many(experiment.n)} collapses: S = ${number(experiment.S)}, ` +
        `between ${number(experiment.low)} and ${number(experiment.high)} with 95 % confidence. ` +
        `${many(experiment.plus)} rounds gave +2 and ${many(experiment.minus)} gave −2. ` +
        "No round can give more, so no average can.",
    );
    clear(first, rounds());
    turn();
  }

  function correlations() {
    const { a, a2, b, b2 } = results.settings;
    const rows = [
      [a, results.correlations[0]],
      [a2, results.correlations[1]],
    ];
    return el(
      "table",
      {},
      el("caption", { class: "note" }, "+1: the answers always agree. −1: they never do. 0: no connection. S is the sum of three of them minus the fourth."),
      el("thead", {}, el("tr", {}, el("td", {}), [b, b2].map((name, i) => el("th", { scope: "col", class: "number" }, `Bob ${i ? "b′" : "b"}: ${name}`)))),
      el(
        "tbody",
        {},
        rows.map(([name, row], i) =>
          el(
            "tr",
            {},
            el("th", { scope: "row" }, `Alice ${i ? "a′" : "a"}: ${name}`),
            row.map((value, j) => (i && j ? el("td", { class: "number minus" }, `− (${number(value)})`) : el("td", { class: "number" }, number(value)))),
          ),
        ),
      ),
    );
  }

  function rounds() {
    const heads = ["a", "a′", "b", "b′", "ab + ab′ + a′b − a′b′"];
    return el(
      "details",
      { class: "fold" },
      el("summary", {}, "The first rounds, one by one"),
      el(
        "table",
        {},
        el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col", class: "number" }, head)))),
        el(
          "tbody",
          {},
          results.experiment.first.map((one) =>
            el(
              "tr",
              {},
              [...one.answers, one.value].map((value) => el("td", { class: "number" }, value > 0 ? `+${value}` : `−${-value}`)),
            ),
          ),
        ),
      ),
      results.signs.includes(-1) && el("p", { class: "note" }, "At some points +1 and −1 have swapped their names, so that S comes out as large as it can."),
    );
  }

  function turn() {
    if (!results) return;
    degrees = Number(angle.value);
    const [, s] = results.real.turned.find(([at]) => at === degrees) ?? [0, 2];
    angle.setAttribute("aria-valuetext", `${degrees} degrees: S is ${number(s)}`);
    const more = "more than anything decided beforehand can.";
    const equal = "no more than the game: at this angle nothing new is asked.";
    setText(realLine, `Turned by ${degrees}°: real qubits show S = ${number(s)}, ${s > 2.0005 ? more : equal}`);
    drawScale(s);
  }

  function drawScale(real) {
    const { S, experiment } = results;
    const label = `S of this game ${number(S)}, sampled ${number(experiment.S)}, limit 2, real qubits ${number(real)}`;
    scale.setAttribute("aria-label", label);
    clear(
      scale,
      lane("This game", S, "lane-game"),
      lane("Sampled", experiment.S, "lane-sampled", [experiment.low, experiment.high]),
      lane("Real qubits", real, "lane-real"),
      axis(),
    );
  }

  return { node, load };
}

function lane(name, value, kind, interval = null) {
  return el(
    "div",
    { class: `lane ${kind}` },
    el("span", { class: "lane-name" }, name),
    el(
      "span",
      { class: "lane-track" },
      el("span", { class: "lane-bar", style: `width:${percent(value)}` }),
      interval && el("span", { class: "lane-interval", style: `left:${percent(interval[0])};width:calc(${percent(interval[1])} - ${percent(interval[0])})` }),
      el("span", { class: "limit", style: `left:${percent(2)}` }),
    ),
    el("span", { class: "lane-value" }, value.toFixed(2)),
  );
}

function axis() {
  const ticks = [[0, "0"], [1, "1"], [2, "2"], [2 * Math.SQRT2, "2√2"]];
  return el(
    "div",
    { class: "lane lane-axis" },
    el("span", { class: "lane-name" }),
    el(
      "span",
      { class: "lane-track" },
      ticks.map(([at, text]) => el("span", { class: "tick", style: `left:${percent(at)}` }, text)),
      el("span", { class: "limit", style: `left:${percent(2)}` }),
    ),
  );
}

function many(count) {
  return count.toLocaleString("en-GB");
}

function percent(value) {
  return `${(100 * Math.max(0, Math.min(SCALE, value))) / SCALE}%`;
}
