/* One figure of training runs as a chart: lines with their 95 % intervals over iterations.

   Lines differ in colour, in dashes and in the shape of their points.  The chart is drawn at the
   width of its container, so that its text stays readable on a phone. */

import { clear, el, setText } from "../../dom.js";
import { axis, span, withInterval, written } from "./scale.js";

const SVG = "http://www.w3.org/2000/svg";
const HIGH = 204; // pixels
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 8, 38];
const FEW = 30; // up to this number of points, each one gets a shape and a whisker
const LINES = 6; // number of styles
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "13 4", "5 2 1 2 1 2"];

function draw(tag, given = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) if (value !== null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** The mark of a point in line style `style`; each style has its own shape. */
function shape(style, x, y, size = 3.5) {
  const s = size;
  const kind = style % LINES;
  const given = { class: `curve-mark style-${kind}` };
  if (kind === 0) return draw("circle", { ...given, cx: x, cy: y, r: s });
  const paths = [
    null,
    `M${x - s} ${y - s}h${2 * s}v${2 * s}h${-2 * s}z`,
    `M${x} ${y - s * 1.2}l${s * 1.2} ${s * 2.2}h${-s * 2.4}z`,
    `M${x} ${y - s * 1.3}l${s * 1.3} ${s * 1.3}l${-s * 1.3} ${s * 1.3}l${-s * 1.3} ${-s * 1.3}z`,
    `M${x} ${y + s * 1.2}l${s * 1.2} ${-s * 2.2}h${-s * 2.4}z`,
    `M${x - s * 1.4} ${y - 1}h${s * 2.8}v2h${-s * 2.8}zM${x - 1} ${y - s * 1.4}h2v${s * 2.8}h-2z`,
  ];
  return draw("path", { ...given, d: paths[kind] });
}

/** A sample of a line style for a legend. */
export function sample(style) {
  const svg = draw("svg", { viewBox: "0 0 36 14", width: 36, height: 14, "aria-hidden": "true", class: "curve-sample" });
  svg.append(stroke(`M2 7H34`, style), shape(style, 18, 7));
  return svg;
}

function stroke(d, style) {
  return draw("path", { d, class: `curve-line style-${style % LINES}`, "stroke-dasharray": DASHES[style % LINES] || null });
}

/** A chart: its `node`, `show(figure, lines, end)` to draw a figure, `stop()` when the page is left. */
export function chart() {
  const title = el("h3");
  const now = el("p", { class: "curve-now", "data-testid": "figure-now" });
  const about = el("p", { class: "note" });
  const stage = el("div", { class: "curve-stage" });
  const read = el("p", { class: "note curve-read", "aria-hidden": "true" });
  const rows = el("div", { class: "curve-rows", tabindex: "0", role: "region" });
  const fold = el("details", { class: "no-print", ontoggle: () => fillRows() }, el("summary", {}, "As a table"), rows);
  const node = el("article", { class: "card curve stack-small" }, title, now, stage, read, about, fold);
  let [figure, lines, end] = [null, [], 0];

  function show(...given) {
    [figure, lines, end] = given;
    node.dataset.testid = `figure-${figure.name}`;
    setText(title, figure.title);
    setText(about, figure.about);
    about.hidden = !figure.about;
    rows.setAttribute("aria-label", figure.title);
    const alone = figure.curves.length === 1 && figure.curves[0].x.length;
    setText(now, alone ? `Now ${withInterval(figure.curves[0], figure.curves[0].x.length - 1, figure)}` : "");
    now.hidden = !alone;
    paint();
    if (fold.open) fillRows();
  }

  function paint() {
    const wide = stage.clientWidth;
    if (!figure || !wide) return;
    const drawn = figure.curves.filter((curve) => curve.x.length);
    const up = figure.whole ? { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1] } : axis(...span(drawn), 4);
    const across = axis(0, Math.max(1, end), Math.max(2, Math.floor(wide / 90)), { whole: true });
    across.high = Math.max(1, end);
    const x = (value) => LEFT + (value / across.high) * (wide - LEFT - RIGHT);
    const y = (value) => HIGH - BOTTOM - ((value - up.low) / (up.high - up.low)) * (HIGH - TOP - BOTTOM);
    const svg = draw("svg", { viewBox: `0 0 ${wide} ${HIGH}`, width: wide, height: HIGH, role: "img", "aria-label": spoken() });
    for (const tick of up.ticks) {
      svg.append(
        draw("path", { class: "curve-grid", d: `M${LEFT} ${y(tick)}H${wide - RIGHT}` }),
        draw("text", { class: "curve-text", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, written(tick, figure)),
      );
    }
    if (figure.whole) svg.append(draw("path", { class: "curve-even", d: `M${LEFT} ${y(0.5)}H${wide - RIGHT}` }));
    for (const tick of across.ticks.filter((one) => one <= across.high)) {
      const anchor = tick === 0 ? "start" : x(tick) > wide - 24 ? "end" : "middle";
      svg.append(draw("text", { class: "curve-text", x: x(tick), y: HIGH - BOTTOM + 16, "text-anchor": anchor }, written(tick)));
    }
    svg.append(draw("text", { class: "curve-text", x: (LEFT + wide - RIGHT) / 2, y: HIGH - 5, "text-anchor": "middle" }, "iteration"));
    figure.curves.forEach((curve, style) => curve.x.length && svg.append(...band(curve, style, x, y)));
    figure.curves.forEach((curve, style) => curve.x.length && svg.append(...line(curve, style, x, y)));
    const cursor = draw("path", { class: "curve-cursor", d: "" });
    svg.append(cursor);
    svg.addEventListener("pointermove", (event) => point(event, svg, cursor, x, wide));
    svg.addEventListener("pointerleave", () => {
      cursor.setAttribute("d", "");
      setText(read, "");
    });
    stage.replaceChildren(svg);
  }

  function band(curve, style, x, y) {
    if (!curve.lower) return [];
    const known = curve.x.map((_, i) => i).filter((i) => curve.lower[i] !== null);
    const kind = `style-${style % LINES}`;
    const parts = [];
    if (known.length > 1) {
      const there = known.map((i) => `${x(curve.x[i])},${y(curve.upper[i])}`);
      const back = known.map((i) => `${x(curve.x[i])},${y(curve.lower[i])}`).reverse();
      parts.push(draw("polygon", { class: `curve-band ${kind}`, points: [...there, ...back].join(" ") }));
    }
    if (known.length <= FEW)
      for (const i of known) {
        const [at, top, low] = [x(curve.x[i]), y(curve.upper[i]), y(curve.lower[i])];
        parts.push(draw("path", { class: `curve-whisker ${kind}`, d: `M${at} ${top}V${low}M${at - 3} ${top}h6M${at - 3} ${low}h6` }));
      }
    return parts;
  }

  function line(curve, style, x, y) {
    let d = "";
    let on = false; // a missing value interrupts the line
    curve.x.forEach((value, i) => {
      if (curve.y[i] === null) on = false;
      else {
        d += `${on ? "L" : "M"}${x(value).toFixed(1)} ${y(curve.y[i]).toFixed(1)}`;
        on = true;
      }
    });
    const known = curve.x.map((_, i) => i).filter((i) => curve.y[i] !== null);
    const marked = known.length <= FEW ? known : known.slice(-1);
    return [stroke(d, style), ...marked.map((i) => shape(style, x(curve.x[i]), y(curve.y[i])))];
  }

  function point(event, svg, cursor, x, wide) {
    const at = ((event.clientX - svg.getBoundingClientRect().left - LEFT) / (wide - LEFT - RIGHT)) * Math.max(1, end);
    const points = figure.curves.map((curve, style) => ({ curve, style, i: nearest(curve.x, at) })).filter((one) => one.i >= 0);
    if (!points.length) return;
    const place = points[0].curve.x[points[0].i];
    cursor.setAttribute("d", `M${x(place)} ${TOP}V${HIGH - BOTTOM}`);
    const words = points.map(({ curve, style, i }) => {
      const name = lines.length > 1 ? `${lines[style].name} ` : "";
      return `${name}${withInterval(curve, i, figure)}`;
    });
    setText(read, `Iteration ${place}: ${words.join("; ")}`);
  }

  function spoken() {
    const parts = figure.curves.map((curve, style) => {
      const name = lines.length > 1 ? `${lines[style].name}: ` : "";
      if (!curve.x.length) return `${name}nothing yet`;
      const last = curve.x.length - 1;
      return `${name}from ${withInterval(curve, 0, figure)} at iteration ${curve.x[0]} to ${withInterval(curve, last, figure)} at iteration ${curve.x[last]}`;
    });
    return `${figure.title}. ${parts.join(". ")}.`;
  }

  function fillRows() {
    if (!fold.open || !figure) return;
    const places = [...new Set(figure.curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
    const where = figure.curves.map((curve) => new Map(curve.x.map((value, i) => [value, i])));
    clear(
      rows,
      el(
        "table",
        {},
        el("caption", { class: "unseen" }, `${figure.title}, with 95 % intervals`),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Iteration"), lines.map((one) => el("th", { scope: "col", class: "number" }, lines.length > 1 ? one.name : "Value")))),
        el(
          "tbody",
          {},
          places.map((place) =>
            el(
              "tr",
              {},
              el("th", { scope: "row" }, place),
              figure.curves.map((curve, style) => {
                const i = where[style].get(place);
                return el("td", { class: "number" }, i === undefined ? "" : withInterval(curve, i, figure));
              }),
            ),
          ),
        ),
      ),
    );
  }

  const sizes = new ResizeObserver(paint);
  sizes.observe(stage);
  return { node, show, stop: () => sizes.disconnect() };
}

function nearest(places, at) {
  let best = -1;
  places.forEach((place, i) => {
    if (best < 0 || Math.abs(place - at) < Math.abs(places[best] - at)) best = i;
  });
  return best;
}

/** Charts of all figures: the main ones first, the others folded away; `show(chart)` draws them. */
export function charts() {
  const main = el("div", { class: "curves", "data-testid": "charts" });
  const more = el("div", { class: "curves" });
  const fold = el("details", { class: "no-print", "data-testid": "more-figures" }, el("summary", {}, "More figures"), more);
  const note = el("p", { class: "note" });
  const node = el("div", { class: "stack" }, main, note, fold);
  const known = new Map();

  function show(data) {
    for (const figure of data.figures) if (!known.has(figure.name)) known.set(figure.name, chart());
    for (const where of [main, more]) {
      const mine = data.figures.filter((figure) => figure.main === (where === main));
      // A figure may appear later than others that belong after it.
      mine.forEach(({ name }, i) => {
        const { node: one } = known.get(name);
        if (where.children[i] !== one) where.insertBefore(one, where.children[i] ?? null);
      });
    }
    for (const figure of data.figures) known.get(figure.name).show(figure, data.lines, data.end);
    const intervals = data.figures.some((figure) => figure.curves.some((curve) => curve.lower));
    const sentences = [];
    if (intervals) sentences.push("Shaded areas and whiskers show the 95 % interval. With few games it is wide, and a difference within it may be chance.");
    if (data.smooth > 1) sentences.push(`Each point is the mean over ${data.smooth} iterations.`);
    setText(note, sentences.join(" "));
    fold.hidden = !more.childElementCount;
  }

  function stop() {
    known.forEach((one) => one.stop());
  }

  /** Removes all charts, before others are shown. */
  function removeAll() {
    stop();
    known.clear();
    clear(main);
    clear(more);
  }

  return { node, show, stop, clear: removeAll };
}
