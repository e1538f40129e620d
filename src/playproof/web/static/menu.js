/* The list of pages under one button, for windows too narrow to show it in a line.
   A disclosure: the button says whether it is open, Esc closes it and goes back to the button. */

let close = () => {};

/** Closes the menu; called when a page was chosen, too. */
export function closeMenu() {
  close();
}

export function startMenu() {
  const knob = document.getElementById("menu");
  const nav = document.getElementById("nav");

  function set(open) {
    knob.setAttribute("aria-expanded", String(open));
    nav.classList.toggle("nav-open", open);
  }

  close = () => set(false);
  knob.addEventListener("click", () => set(knob.getAttribute("aria-expanded") !== "true"));
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || knob.getAttribute("aria-expanded") !== "true") return;
    close();
    knob.focus();
  });
  addEventListener("click", (event) => {
    if (!event.target.closest("#menu, #nav")) close();
  });
  nav.addEventListener("click", (event) => {
    if (event.target.closest("a")) close(); // also the link to the page that is shown
  });
}
