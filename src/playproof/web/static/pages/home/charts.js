/* Three small pictures of real figures: a training run, ratings with intervals, two times. */

const SVG = "http://www.w3.org/2000/svg";

function node(tag, given, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function frame(...children) {
  return node("svg", { viewBox: "0 0 100 100", class: "home-chart" }, ...children);
}

/** Won, drawn and lost over a run, as shares from 0 to 1. */
export function curvePicture({ lines }) {
  const path = (shares) =>
    shares.map((share, i) => `${i ? "L" : "M"}${8 + (i * 86) / (shares.length - 1)} ${92 - share * 110}`).join("");
  const axes = node("path", { d: "M8 4V92H96", class: "chart-axis" });
  return frame(
    axes,
    ...Object.entries(lines).map(([word, shares]) => node("path", { d: path(shares), class: `chart-line chart-${word}` })),
  );
}

/** Agents by strength, each with its interval. */
export function ratingsPicture(ratings) {
  const low = Math.min(...ratings.map((one) => one.low));
  const high = Math.max(...ratings.map((one) => one.high));
  const x = (elo) => 6 + ((elo - low) / (high - low)) * 88;
  const step = 92 / ratings.length;
  return frame(
    ...ratings.flatMap((one, i) => {
      const y = 4 + (i + 0.5) * step;
      return [
        node("path", { d: `M4 ${y}H96`, class: "chart-grid" }),
        node("path", { d: `M${x(one.low)} ${y}H${x(one.high)}`, class: "chart-span" }),
        node("circle", { cx: x(one.elo), cy: y, r: 3.4, class: "chart-dot" }),
      ];
    }),
  );
}

/** How long a proof took the paper and takes here, in seconds, a tenfold a step. */
export function timesPicture({ paper, here }) {
  const y = (seconds) => 86 - Math.log10(Math.max(1, seconds)) * 16;
  const bar = (x, seconds, name) =>
    node("rect", { x, y: y(seconds), width: 26, height: 86 - y(seconds), rx: 3, class: `chart-bar chart-${name}` });
  const label = (x, text) => node("text", { x, y: 97, class: "chart-text", "text-anchor": "middle" }, text);
  return frame(
    node("path", { d: "M6 86H94", class: "chart-axis" }),
    bar(16, paper, "paper"),
    bar(58, here, "here"),
    label(29, "paper"),
    label(71, "here"),
  );
}
