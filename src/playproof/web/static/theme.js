/* Light or dark, set before anything is drawn: the stored choice, else the system's.
   A plain script, not a module: modules run too late and the page would flash. */
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  function storedTheme() {
    try {
      return localStorage.getItem("playproof.theme");
    } catch {
      return null; // private windows may have no storage
    }
  }

  function apply() {
    root.dataset.theme = storedTheme() ?? (system.matches ? "dark" : "light");
  }

  system.addEventListener("change", () => {
    apply();
    dispatchEvent(new Event("themechange"));
  });
  apply();
})();
