/* One point in detail: probability, density matrix, entropy. */

import { choice, clear, el, field, setText } from "../../dom.js";

const NAMES = { b: "black", w: "white" };

/** The card; it keeps showing the last point that was pointed at. */
export function pointCard() {
  let points = null;
  let at = null;
  const select = choice([], null, () => show(select.value), { name: "point" });
  const head = el("p", { class: "point-head", "data-testid": "point-head" });
  const words = el("p", { "data-testid": "point-words" });
  const matrix = el("div", { class: "matrix", "data-testid": "matrix" });
  const meter = el("div", { class: "meter", role: "img", "aria-label": "0 of at most 1 bit" }, el("span", { class: "meter-part" }));
  const bits = el("strong", { "data-testid": "entropy" });
  const node = el(
    "section",
    { class: "card stack-small point-card", "aria-labelledby": "point-head" },
    el("div", { class: "row row-apart" }, el("h2", { id: "point-head" }, "One point alone"), field("Point", select)),
    head,
    words,
    el(
      "div",
      { class: "point-parts" },
      el("div", {}, el("h3", {}, "Density matrix"), matrix),
      el("div", { class: "grow" }, el("h3", {}, "Entropy"), el("p", {}, bits, " bit"), meter),
    ),
    el("p", { class: "note" }, "Point at the board, or walk over it with the arrow keys."),
  );

  function load(next, prefer) {
    points = next;
    const names = Object.keys(points);
    if (select.options.length !== names.length || select.options[0]?.value !== names[0])
      clear(select, names.map((name) => el("option", { value: name }, name)));
    const entangled = names.find((name) => points[name].group);
    const wanted = prefer?.find((name) => points[name]?.group) ?? (points[at]?.group ? at : entangled) ?? prefer?.[0] ?? names[0];
    show(wanted);
  }

  function show(name) {
    if (!points?.[name]) return;
    at = name;
    const point = points[name];
    select.value = name;
    setText(head, `${name}: ${summary(point)}`);
    setText(words, explained(name, point));
    clear(matrix, table(name, point.density));
    setText(bits, number(point.entropy));
    meter.firstChild.style.width = `${100 * Math.min(1, point.entropy)}%`;
    meter.setAttribute("aria-label", `${number(point.entropy)} of at most 1 bit`);
  }

  return { node, load, show, at: () => at };
}

function summary(point) {
  if (point.placing) return "a stone is being placed here";
  if (point.probability === 0) return "certainly empty";
  if (point.probability === 1) return `certainly a ${NAMES[point.colour]} stone`;
  return `a ${NAMES[point.colour]} stone with probability ${number(point.probability)}`;
}

function explained(name, point) {
  if (point.placing) return "It becomes part of the formula once its partner is placed.";
  if (!point.group) return "Nothing is uncertain here, so the entropy is 0.";
  const group = point.partners.length > 1 ? "Group" : "Pair";
  const begin = `${group} ${point.group}: it is here, or at ${point.partners.join(" or ")}. Looking at ${name} alone you cannot tell.`;
  if (point.entropy_label !== undefined)
    return `${begin} Asked "is the stone here?", ${number(point.entropy)} bits are unknown; asked "which stone stays?", ${number(point.entropy_label)} bits.`;
  return `${begin} Looking at ${[name, ...point.partners].join(" and ")} together you know everything there is to know: the whole has entropy 0.`;
}

function table(name, rho) {
  const sides = ["empty", "stone"];
  return el(
    "table",
    {},
    el("caption", { class: "unseen" }, `Density matrix of ${name}`),
    el("thead", {}, el("tr", {}, el("td", {}), sides.map((side) => el("th", { scope: "col" }, side)))),
    el(
      "tbody",
      {},
      rho.map((row, i) => el("tr", {}, el("th", { scope: "row" }, sides[i]), row.map((entry, j) => cell(entry, i === j)))),
    ),
  );
}

function cell([re, im], diagonal) {
  const tint = diagonal ? Math.min(1, re) : 0;
  return el("td", { class: "number", style: `--tint:${Math.round(60 * tint)}%` }, complex(re, im));
}

function complex(re, im) {
  if (Math.abs(im) < 5e-4) return number(re);
  return `${number(re)} ${im < 0 ? "−" : "+"} ${number(Math.abs(im))}i`;
}

/** At most three decimals, with a true minus sign. */
export function number(value) {
  const text = String(Math.abs(Math.round(value * 1000) / 1000));
  return value < -5e-4 ? `−${text}` : text;
}
