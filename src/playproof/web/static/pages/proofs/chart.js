/* Retrograde levels as bars on a logarithmic scale, drawn to fit the available width. */

import { el } from "../../dom.js";
import { counted } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 22; // pixels
const LEFT = 64; // of the bars: room for "30 back"
const RIGHT = 74; // after them: room for a number
const TOP = 34;

function part(tag, given, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** `levels`: [{back, stones, positions, known}]. The chart is redrawn when its width changes,
    until `stop()`. */
export function levelsChart(levels) {
  const most = Math.max(...levels.map((one) => one.positions), 10);
  const decades = Math.ceil(Math.log10(most));
  const marked = levels.some((one) => one.known);
  const place = el("div", { class: "levels-chart" });
  const node = el(
    "figure",
    { class: "stack-small" },
    place,
    el(
      "figcaption",
      { class: "note" },
      "Positions at each step back, on a scale where each mark is ten times the one before.",
      marked && [" ", el("span", { class: "levels-key" }), " marks how many of them are reached by play from the start."],
    ),
  );

  function draw() {
    const width = Math.max(240, Math.floor(place.clientWidth));
    const height = TOP + ROW * levels.length + 6;
    const scale = (width - LEFT - RIGHT) / (decades + 0.35);
    // A single position must be visible too, so it gets a short bar.
    const reach = (count) => (count ? (Math.log10(count) + 0.35) * scale : 0);
    const picture = part("svg", {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": described(levels),
    });
    for (let power = 0; power <= decades; power += 1) {
      const x = LEFT + (power + 0.35) * scale;
      picture.append(
        part("line", { class: "levels-grid", x1: x, x2: x, y1: TOP - 8, y2: height }),
        part("text", { class: "levels-text", x, y: TOP - 14, "text-anchor": "middle" }, short(10 ** power)),
      );
    }
    levels.forEach((one, i) => {
      const y = TOP + i * ROW;
      const head = one.stones === null ? `${one.back} back` : `${one.stones} discs`;
      picture.append(part("text", { class: "levels-text", x: LEFT - 8, y: y + 15, "text-anchor": "end" }, head));
      if (one.positions)
        picture.append(part("rect", { class: "levels-bar", x: LEFT, y: y + 3, width: reach(one.positions), height: ROW - 6, rx: 2 }));
      if (one.known)
        picture.append(part("rect", { class: "levels-known", x: LEFT, y: y + 8, width: reach(one.known), height: ROW - 16, rx: 1 }));
      const label = one.positions ? counted(one.positions) : "0, nothing left";
      picture.append(part("text", { class: "levels-text levels-count", x: LEFT + reach(one.positions) + 6, y: y + 15 }, label));
    });
    place.replaceChildren(picture);
  }

  let width = 0;
  const watcher = new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    draw();
  });
  watcher.observe(place);
  return { node, stop: () => watcher.disconnect() };
}

function short(number) {
  if (number >= 1e6) return `${number / 1e6}M`;
  return number >= 1000 ? `${number / 1000}k` : String(number);
}

function described(levels) {
  const last = levels[levels.length - 1];
  const most = levels.reduce((a, b) => (b.positions > a.positions ? b : a));
  return (
    `Bar chart: positions by discs taken back. It starts with ${counted(levels[0].positions)}, has ` +
    `at most ${counted(most.positions)}, ${most.back} back, and ends with ${counted(last.positions)}, ${last.back} back. ` +
    "The table below has all figures."
  );
}
