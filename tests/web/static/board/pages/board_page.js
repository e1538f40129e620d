// The page of the board's tests: it remembers what the board says.
import "/static/board/board.js";

/** A new board in the place of the old, and nothing remembered. */
window.renew = () => {
  document.activeElement?.blur();
  delete document.documentElement.dataset.theme;
  const board = document.createElement("play-board");
  document.querySelector("play-board").replaceWith(board);
  window.board = board;
  window.said = [];
  for (const name of ["move", "prefix", "point"]) {
    board.addEventListener(name, (event) => window.said.push([name, event.detail]));
  }
};
window.renew();
