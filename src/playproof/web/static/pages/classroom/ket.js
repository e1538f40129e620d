/* The formula of the board: one chip for each factor, coloured by owner, in plain HTML. */

import { button, clear, el, setText } from "../../dom.js";

const SUBSCRIPT = /_\{([^}]*)\}|_([BW])|([₀-₉]+)/g;
const LOWERED = "₀₁₂₃₄₅₆₇₈₉";
const GROUPS = new Set(["pair", "ghz", "w"]);

/** A formula such as "α₁|0⟩_{A2}" as nodes: subscripts are <sub>. */
export function formula(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(SUBSCRIPT)) {
    if (found.index > from) nodes.push(text.slice(from, found.index));
    const below = found[1] ?? found[2] ?? [...found[3]].map((digit) => LOWERED.indexOf(digit)).join("");
    nodes.push(el("sub", {}, below.replaceAll(",", ", ")));
    from = found.index + found[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

/** The card; `choose(number | null)` is called when a pair is chosen or released. */
export function ketCard(choose) {
  const chips = el("div", { class: "ket", "data-testid": "ket" });
  const says = el("p", { class: "note", "data-testid": "ket-says" });
  const figures = button("Show numbers", () => turn(), { class: "ket-turn", "aria-pressed": "false", testid: "ket-numbers" });
  const copyable = el("code", { class: "ket-text", "data-testid": "ket-text" });
  let ket = null;
  let numbers = false;
  let chosen = null;

  const node = el(
    "section",
    { class: "card stack-small", "aria-labelledby": "ket-head" },
    el("div", { class: "row row-apart" }, el("h2", { id: "ket-head" }, "The board as a formula"), figures),
    chips,
    says,
    el("details", { class: "fold" }, el("summary", {}, "The whole formula as one line"), copyable),
  );

  function turn() {
    numbers = !numbers;
    figures.setAttribute("aria-pressed", String(numbers));
    draw();
  }

  function draw() {
    if (!ket) return;
    setText(copyable, numbers ? ket.numbers : ket.text);
    const parts = ket.parts.flatMap((part, i) => (i ? [el("span", { class: "times", "aria-hidden": "true" }, "⊗"), chip(part)] : [chip(part)]));
    clear(chips, el("span", { class: "psi", "aria-hidden": "true" }, "|ψ⟩ ="), parts);
    const groups = ket.parts.filter((part) => GROUPS.has(part.kind));
    setText(says, groups.length ? sentence(groups) : "There is no pair on the board: every point is decided, and nothing is uncertain.");
  }

  function sentence(groups) {
    const one = groups.find((part) => part.number === chosen);
    if (one) return `${one.says}.`;
    const kind = groups.every((part) => part.kind === "pair") ? "pair" : "group";
    const many = groups.length === 1 ? `One ${kind} is` : `${groups.length} ${kind}s are`;
    return `${many} undecided. Choose one to see what it can become.`;
  }

  function chip(part) {
    const dot = part.colour && el("span", { class: `dot dot-${part.colour}`, "aria-hidden": "true" });
    if (!GROUPS.has(part.kind)) return settled(part, dot);
    const text = (numbers ? part.numbers : part.text).replace(/^\(|\)_[BW]$/g, "");
    return el(
      "button",
      {
        type: "button",
        class: `ket-chip ket-${part.colour}`,
        "aria-pressed": String(part.number === chosen),
        "aria-label": `Choose ${part.says}`,
        dataset: { pair: String(part.number) },
        onclick: () => pick(part.number),
      },
      dot,
      el("strong", {}, part.number),
      el("span", { class: "math" }, formula(text)),
    );
  }

  function settled(part, dot) {
    const inside = part.kind === "empty" ? "|0⟩" : "|1⟩";
    const count = part.points.length;
    const few = count <= 3 ? part.points.join(", ") : `${count} points`;
    return el(
      "span",
      { class: "ket-chip ket-settled", title: `${inside} ${part.points.join(", ")}` },
      dot,
      el("span", { class: "math", "aria-hidden": "true" }, inside, el("sub", {}, few)),
      el("span", { class: "unseen" }, part.says),
    );
  }

  function pick(number) {
    chosen = chosen === number ? null : number;
    const again = document.activeElement?.dataset?.pair;
    draw();
    if (again) chips.querySelector(`[data-pair="${again}"]`)?.focus();
    choose(chosen);
  }

  return {
    node,
    show(next) {
      ket = next;
      if (!ket.parts.some((part) => part.number === chosen)) chosen = null;
      draw();
    },
    chosen: () => chosen,
    release() {
      chosen = null;
      draw();
    },
  };
}
