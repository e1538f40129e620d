/* Arithmetic for charts: round ticks, and the format of numbers. */

const ROUND = [1, 2, 2.5, 5, 10];

/** An axis of about `count` round steps from low to high: {low, high, step, ticks}. */
export function axis(low, high, count, { whole = false } = {}) {
  if (!(high > low)) high = low + (Math.abs(low) || 1);
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  let step = ROUND.map((one) => one * power).find((one) => one >= rough * 0.999);
  if (whole) step = Math.max(1, Math.round(step));
  const from = Math.floor(low / step + 1e-9) * step;
  const to = Math.ceil(high / step - 1e-9) * step;
  const ticks = [];
  for (let i = 0; from + i * step <= to + step * 1e-6; i++) ticks.push(from + i * step);
  return { low: from, high: to, step, ticks };
}

/** A number as charts write it. */
export function written(value, { percent = false, digits = 3 } = {}) {
  if (value === null || value === undefined) return "–";
  if (percent) return `${(100 * value).toFixed(Math.abs(value) < 0.1 && value ? 1 : 0)} %`;
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  const text = Number(value.toPrecision(digits)).toString();
  return text.replace("-", "−");
}

/** The value with its 95 % interval, if one is known: "83 % [72 %, 91 %]". */
export function withInterval(curve, i, how) {
  const value = written(curve.y[i], how);
  if (!curve.lower || curve.lower[i] === null) return value;
  return `${value} [${written(curve.lower[i], how)}, ${written(curve.upper[i], how)}]`;
}

/** The lowest and the highest value of some curves, including their intervals. */
export function span(curves) {
  const all = curves.flatMap((curve) => [...curve.y, ...(curve.lower ?? []), ...(curve.upper ?? [])]);
  const known = all.filter((value) => value !== null && Number.isFinite(value));
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
}
