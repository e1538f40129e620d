// Writing SVG: numbers, escaping, elements, and text whose width is estimated.
// The twin of formats/svg/writer.py: the same rules in the same order, so that
// both write the same bytes.

import { WIDTHS } from "./data.js";

// With the u flag the surrogates in this class are lone ones only.
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]/gu;
const SPACE = /[ \t\r\n]+/g;
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** At most two decimals, halves upwards, no exponent, no trailing zeros, no -0. */
export function num(value) {
  if (!Number.isFinite(value)) throw new RangeError(`a picture needs finite numbers, not ${value}`);
  const hundredths = Math.floor(value * 100 + 0.5);
  const sign = hundredths < 0 ? "-" : "";
  const digits = String(magnitude(hundredths)).padStart(3, "0");
  const whole = digits.slice(0, -2);
  const part = digits.slice(-2);
  if (part === "00") return sign + whole;
  return `${sign}${whole}.${part[1] === "0" ? part[0] : part}`;
}

/** The absolute value as a whole number that is written without an exponent. */
function magnitude(hundredths) {
  const size = Math.abs(hundredths);
  return size > Number.MAX_SAFE_INTEGER ? BigInt(size) : size;
}

/** A share clamped to 0..1; what is not a number counts as nothing. */
export function unit(value) {
  return value > 0 ? Math.min(1, value) : 0;
}

/** One line that XML can carry: forbidden characters become the replacement sign. */
export function clean(text) {
  return text.replace(FORBIDDEN, "\ufffd").replace(SPACE, " ").replace(/^ +| +$/g, "");
}

export function escape(text) {
  return clean(text).replace(/[&<>"']/g, (raw) => ESCAPES[raw]);
}

/** An empty element; what is null is left out.  Strings are written as they
 * are: they come from the theme, never from a View. */
export function tag(name, attributes) {
  return `<${name}${written(attributes)}/>`;
}

function written(attributes) {
  let found = "";
  for (const key in attributes) {
    const value = attributes[key];
    if (value == null) continue;
    found += ` ${key}="${typeof value === "string" ? value : num(value)}"`;
  }
  return found;
}

/** One line of text centred on height y; the baseline is shifted by hand. */
export function text(x, y, content, size, fill, { anchor, bold = false, family } = {}) {
  const attributes = {
    x,
    y: y + 0.36 * size,
    "font-size": size,
    "font-weight": bold ? "700" : null,
    "font-family": family,
    "text-anchor": anchor,
    fill,
  };
  return `<text${written(attributes)}>${escape(content)}</text>`;
}

function em(character) {
  for (const [characters, wide] of WIDTHS) if (characters.includes(character)) return wide;
  const code = character.codePointAt(0);
  if (code >= 0x2e80) return 1.0; // East Asian scripts, emoji
  return code < 0x61 || code > 0x7e ? 0.66 : 0.58;
}

/** Estimated width of a line of text. */
export function width(content, size, bold = false) {
  let total = 0;
  for (const character of clean(content)) total += em(character);
  return total * size * (bold ? 1.14 : 1.0);
}

/** The text, cut with an ellipsis where it would not fit. */
export function fit(content, size, room, bold = false) {
  content = clean(content);
  if (width(content, size, bold) <= room) return content;
  const characters = [...content];
  const count = head(characters, size, room - width("…", size, bold), bold);
  return characters.slice(0, count).join("").replace(/ +$/, "") + "…";
}

/** The text broken into lines between words; a word too long for a line is broken. */
export function wrap(content, size, room, bold = false) {
  const lines = [];
  let line = "";
  for (const word of clean(content).split(" ")) {
    const joined = line ? `${line} ${word}` : word;
    if (width(joined, size, bold) <= room) {
      line = joined;
      continue;
    }
    if (line) lines.push(line);
    let rest = [...word];
    while (width(rest.join(""), size, bold) > room && rest.length > 1) {
      const count = head(rest, size, room, bold);
      lines.push(rest.slice(0, count).join(""));
      rest = rest.slice(count);
    }
    line = rest.join("");
  }
  return line ? [...lines, line] : lines;
}

/** How many characters of a word fill a line; at least one. */
function head(characters, size, room, bold) {
  let count = 1;
  while (
    count < characters.length &&
    width(characters.slice(0, count + 1).join(""), size, bold) <= room
  ) {
    count += 1;
  }
  return count;
}
