/* The parts of a theorem and the checks of a certificate, as tables. */

import { el } from "../../dom.js";
import { counted, megabytes } from "./words.js";

/** The title of each check. */
export const CHECKS = {
  manifest: "The files",
  formula: "The formula",
  proof: "The proof",
  plain: "The plain checker",
  lrat: "LRAT",
  theorem: "The theorem",
  "drat-trim": "drat-trim",
  cake_lpr: "cake_lpr",
};

const MARKS = { true: ["✓", "ok"], false: ["✗", "rejected"], null: ["–", "not run"] };
const ABOUT = {
  manifest: "are they the files that were written?",
  formula: "rebuilt from the statement, is it the same to the byte?",
  proof: "does every step follow?",
  plain: "does every step follow from its hints?",
  lrat: "does every step that was written follow from its hints?",
  theorem: "are these the parts that it follows from?",
  "drat-trim": "a third-party checker",
  cake_lpr: "a third-party checker that was itself proved correct",
};

function outcome(passed) {
  const [sign, word] = MARKS[String(passed)];
  return el("td", { class: `check-${word.replace(" ", "-")}` }, el("span", { "aria-hidden": "true" }, `${sign} `), word);
}

function scrolling(label, table) {
  return el("div", { class: "proof-table", tabindex: "0", role: "region", "aria-label": label }, table);
}

/** Every check with its outcome; `why` says why a check was not run. */
export function checkRows({ checks, checked }) {
  const rows = checks.map((one) => ({ ...one, why: one.passed === null ? one.detail : "" }));
  // For a chain, the outcomes of each check are counted over its parts.
  for (const name of Object.keys(checked[0]?.checks ?? {})) {
    const outcomes = checked.map((part) => part.checks[name]);
    const good = outcomes.filter((one) => one === true).length;
    const bad = outcomes.filter((one) => one === false).length;
    const passed = bad ? false : good ? true : null;
    const off = outcomes.length - good - bad;
    rows.push({ check: name, passed, detail: `${good} ok, ${bad} rejected, ${off} not run`, seconds: null, why: "" });
  }
  return rows;
}

/** The checks as a table. */
export function checksTable(proof) {
  const rows = checkRows(proof);
  if (!rows.length) return null;
  const table = el(
    "table",
    { "data-testid": "checks" },
    el("thead", {}, el("tr", {}, ["Check", "Outcome", "Details", "Seconds"].map((head) => el("th", { scope: "col" }, head)))),
    el(
      "tbody",
      {},
      rows.map((one) =>
        el(
          "tr",
          { "data-testid": `check-${one.check}` },
          el("th", { scope: "row" }, CHECKS[one.check] ?? one.check, el("span", { class: "note" }, ABOUT[one.check] ? `: ${ABOUT[one.check]}` : "")),
          outcome(one.passed),
          el("td", {}, one.detail),
          el("td", { class: "number" }, one.seconds === null ? "" : one.seconds.toFixed(1)),
        ),
      ),
    ),
  );
  return [el("h3", {}, "The checks"), scrolling("The checks", table)];
}

/** The parts of a theorem, one per row. */
export function partsTable({ parts, checked }) {
  if (!parts.length) return null;
  const verdicts = new Map(checked.map((one) => [Number(one.part), one]));
  const table = el(
    "table",
    { "data-testid": "parts" },
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "col", class: "number" }, "Part"),
        el("th", { scope: "col" }, "There is no …"),
        ["Unknowns", "Conditions", "Seconds", "Proof"].map((head) => el("th", { scope: "col", class: "number" }, head)),
        el("th", { scope: "col" }, "Checked"),
      ),
    ),
    el(
      "tbody",
      {},
      parts.map((one) => {
        const verdict = verdicts.get(one.part);
        return el(
          "tr",
          {},
          el("th", { scope: "row", class: "number" }, one.part),
          el("td", {}, one.says),
          el("td", { class: "number" }, counted(one.variables)),
          el("td", { class: "number" }, counted(one.clauses)),
          el("td", { class: "number" }, one.seconds.toFixed(1)),
          el("td", { class: "number" }, one.bytes ? megabytes(one.bytes) : ""),
          verdict ? outcome(!verdict.detail) : el("td", {}, ""),
        );
      }),
    ),
  );
  return el("details", {}, el("summary", {}, parts.length === 1 ? "The part" : `The ${parts.length} parts`), scrolling("The parts", table));
}
