/* A page of the documentation as elements: headings, paragraphs, lists, tables, output of commands.
   Texts are Markdown: `code`, **strong**, *emphasis*, [links](…).  Only the text of links is kept,
   since their pages are not part of the lab. */

import { el } from "../../dom.js";

const INLINE = /`([^`]+)`|\*\*_?(.+?)_?\*\*|\*(.+?)\*|\[([^\]]+)\]\([^)]*\)/;

/** A Markdown text as nodes. */
export function inline(text) {
  const out = [];
  let rest = text.replace(/\\([.|*_])/g, "$1");
  for (let found = INLINE.exec(rest); found; found = INLINE.exec(rest)) {
    if (found.index) out.push(rest.slice(0, found.index));
    const [whole, code, strong, emphasis, link] = found;
    if (code !== undefined) out.push(el("code", { class: "mono" }, code));
    else if (strong !== undefined) out.push(el("strong", {}, inline(strong)));
    else if (emphasis !== undefined) out.push(el("em", {}, inline(emphasis)));
    else out.push(...inline(link));
    rest = rest.slice(found.index + whole.length);
  }
  if (rest) out.push(rest);
  return out;
}

export function sections(page) {
  return page.sections.map((section) => {
    const parts = section.blocks.map(block);
    if (!section.title) return el("div", { class: "report stack-small" }, parts);
    return el("details", { class: "report" }, el("summary", {}, section.title), el("div", { class: "stack-small" }, parts));
  });
}

function block(one) {
  if (one.code !== undefined) return el("pre", { class: "mono report-code", tabindex: "0" }, one.code);
  if (one.items) return el("ul", {}, one.items.map((item) => el("li", {}, inline(item))));
  if (one.rows) return table(one);
  return el("p", {}, inline(one.text));
}

function table({ columns, rows }) {
  return el(
    "div",
    { class: "wide", tabindex: "0", role: "region", "aria-label": `Table: ${columns.filter(Boolean).join(", ")}` },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, columns.map((head) => (head ? el("th", { scope: "col" }, inline(head)) : el("td", {}))))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, inline(cell)))))),
    ),
  );
}
