/* Choko for someone who has never seen it. */

const JUMP = "E2 E5 A3 B5 A5 B1 A5xC5,E5 A5 A2 E4 C3 D1 C1 B4 D2";

export const rules = {
  game: "choko",
  title: "Choko",
  lead: "A game from The Gambia. Blue and Red place pegs, step with them and jump over each other. Whoever takes all twelve enemy pieces wins.",
  parts: [
    {
      head: "The start",
      text: [
        "The board has 25 pits and is empty. Each side holds twelve pieces in hand. Blue moves first, then the sides take turns.",
        "On your turn you do one of three things: place a piece, step with one, or jump with one.",
      ],
    },
    {
      head: "Place",
      text: ["Put a piece from your hand into any empty pit."],
      pictures: [
        {
          caption: "Blue has placed on C3, Red on B2. All other pits are empty.",
          rows: [".....", ".....", "..b..", ".r...", "....."],
          last: ["B2"],
          of: { game: "choko", moves: "C3 B2" },
        },
      ],
    },
    {
      head: "Step",
      text: ["Move one of your pieces to the next pit: up, down, left or right. The pit must be empty. There are no diagonal moves."],
      pictures: [
        {
          caption: "The four steps of the piece on C3.",
          rows: [".....", ".....", "..b..", ".r...", "....."],
          arrows: [
            ["C3", "C4"],
            ["C3", "D3"],
            ["C3", "C2"],
            ["C3", "B3"],
          ],
          of: { game: "choko", moves: "C3 B2" },
        },
      ],
    },
    {
      head: "Jump and take",
      text: [
        "If an enemy piece stands right beside yours, in the same row or column, and the pit behind it is empty, you may jump over it into that pit. It is one jump, never a chain, and you never have to jump.",
        "A jump takes two pieces off the board: the one you jumped over, and one more enemy piece of your choice, wherever it stands. If there is no second enemy piece on the board, you cannot jump.",
        "So a jump is three clicks: your piece, the pit where it lands, and the second piece to take.",
      ],
      pictures: [
        {
          caption: "Red jumps from D1 over D2 to D3. D2 goes, and Red chooses E2 as the second piece.",
          rows: ["r.b..", ".r..r", "b.b..", "b..bb", ".rbr."],
          marks: { D2: "cross", E2: "cross" },
          arrows: [["D1", "D3"]],
          of: { game: "choko", moves: JUMP },
        },
        {
          caption: "After the jump: two blue pieces are gone.",
          rows: ["r.b..", ".r..r", "b.br.", "b....", ".rb.."],
          last: ["D1", "D3"],
          of: { game: "choko", moves: `${JUMP} D1xD3,E2` },
        },
      ],
    },
    {
      head: "The drop initiative",
      text: [
        "This is what makes Choko special. When you place a piece of your own free will, you take the drop initiative: the other side must place on its next turn. It may not step or jump then.",
        "After that forced reply you are free again, and may place once more and force again. A step or a jump gives the initiative up. Then the other side is free, and takes the initiative by placing.",
        "An amber flag beside the board shows who holds it.",
      ],
      pictures: [
        {
          caption: "Blue began by placing on C3 and holds the drop initiative: Red must place now.",
          rows: [".....", ".....", "..b..", ".....", "....."],
          last: ["C3"],
          of: { game: "choko", moves: "C3" },
        },
      ],
    },
    {
      head: "The end",
      text: [
        "You win when you have taken all twelve enemy pieces. A side without pieces on the board has not lost as long as it has some in hand.",
        "The game is a draw when the side to move can do nothing, or after 100 moves of both sides together. A win on the hundredth move counts.",
      ],
    },
    {
      head: "First advice",
      list: [
        "A piece in a corner cannot be jumped over, and one on the edge only along the edge.",
        "Before you jump, see which piece could jump back. Take that one as your second piece.",
        "With best play Blue wins in 59 moves. Nobody knows them by heart.",
      ],
    },
  ],
};
