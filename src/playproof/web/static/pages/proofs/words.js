/* What the parts of the page share: addresses, choices, numbers as one reads them. */

import { el } from "../../dom.js";

/** The address without a new entry in the history: a step is no page of its own. */
export function standAt(...parts) {
  history.replaceState(null, "", `#/proofs/${parts.map((part) => encodeURIComponent(part)).join("/")}`);
}

/** A choice among a few things, as links: [name, title] pairs below a part's address. */
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

/** "1,234", "6.4 MB": numbers as one reads them. */
export function counted(number) {
  return number === null || number === undefined ? "–" : number.toLocaleString("en");
}

export function megabytes(bytes) {
  if (bytes < 1e4) return `${counted(bytes)} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
