// The theme of the picture: the page's choice, else the system's; print is light.

const DARK = "(prefers-color-scheme: dark)";

/** "light" or "dark", now. */
export function theme() {
  if (matchMedia("print").matches) return "light";
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia(DARK).matches ? "dark" : "light";
}

/** Calls `changed` when `theme` may have changed; returns a function that ends it. */
export function watchTheme(changed) {
  const ends = new AbortController();
  const { signal } = ends;
  for (const query of [DARK, "print"]) {
    matchMedia(query).addEventListener("change", changed, { signal });
  }
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => {
    ends.abort();
    observer.disconnect();
  };
}
