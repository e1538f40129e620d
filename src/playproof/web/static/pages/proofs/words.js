/* What the parts of the page share: addresses, links to choices, formatted numbers. */

import { el } from "../../dom.js";

/** Changes the address without a new entry in the history, because a step is not a page. */
export function standAt(...parts) {
  history.replaceState(null, "", `#/proofs/${parts.map((part) => encodeURIComponent(part)).join("/")}`);
}

/** Links to a few choices, {name, title}, below the address of a part. */
export function choices(part, list, chosen, label) {
  return el(
    "nav",
    { class: "proof-choices no-print", "aria-label": label },
    list.map(({ name, title }) =>
      el(
        "a",
        {
          class: "button",
          href: `#/proofs/${part}/${name}`,
          "aria-current": name === chosen ? "true" : null,
          "data-testid": `choose-${name}`,
        },
        title,
      ),
    ),
  );
}

/** "1,234": a number with separators, or a dash for none. */
export function counted(number) {
  return number === null || number === undefined ? "–" : number.toLocaleString("en");
}

export function megabytes(bytes) {
  if (bytes < 1e4) return `${counted(bytes)} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
