/* Othello for someone who has never seen it. */

const BEFORE = ["........", ".....O..", "..OX.O..", "..OOXO..", ".OOXO...", ".X.X....", "........", "........"];
const LINES = "c4 c3 d3 c5 b6 b5 d6 f4 f3 f2";

export const rules = {
  game: "othello",
  title: "Othello",
  lead: "Black and White turn each other's discs over. Whoever has more discs at the end wins.",
  parts: [
    {
      head: "The start",
      text: [
        "The board has 64 squares. Four discs lie in the middle: two black, two white. Every disc is black on one side and white on the other.",
        "Black moves first. After that the two sides take turns.",
      ],
      pictures: [
        {
          caption: "The start. Black may choose one of the four numbered squares.",
          rows: ["........", "........", "........", "...OX...", "...XO...", "........", "........", "........"],
          marks: { d3: 1, c4: 2, f5: 3, e6: 4 },
          of: { game: "othello" },
        },
      ],
    },
    {
      head: "A move",
      text: [
        "Put one disc of your colour on an empty square. Between the new disc and another disc of yours there must be a straight line of the other side's discs, without a gap. The line may run along a row, a column or a diagonal.",
        "Turn the whole line over: it is yours now. A move must turn over at least one disc.",
      ],
      pictures: [
        {
          caption: "Black plays f5. The white disc on e5 now lies between two black ones …",
          rows: ["........", "........", "........", "...OX...", "...XO...", "........", "........", "........"],
          marks: { f5: "ring", e5: "cross" },
          of: { game: "othello" },
        },
        {
          caption: "… and is turned over.",
          rows: ["........", "........", "........", "...OX...", "...XXX..", "........", "........", "........"],
          last: ["f5"],
          of: { game: "othello", moves: "f5" },
        },
      ],
    },
    {
      head: "Several lines at once",
      text: [
        "A disc often closes more than one line. Then all of these lines are turned over together.",
        "Only lines that end at the new disc count. Discs that are turned over do not turn others.",
      ],
      pictures: [
        {
          caption: "Black plays b4. Three lines are closed: along the row, straight down, and diagonally down to the right.",
          rows: BEFORE,
          marks: { b4: "ring", c4: "cross", d4: "cross", b5: "cross", c5: "cross" },
          of: { game: "othello", moves: LINES },
        },
        {
          caption: "All four white discs have become black.",
          rows: ["........", ".....O..", "..OX.O..", ".XXXXO..", ".XXXO...", ".X.X....", "........", "........"],
          last: ["b4"],
          of: { game: "othello", moves: `${LINES} b4` },
        },
      ],
    },
    {
      head: "When you cannot move",
      text: ["If no square lets you turn a disc over, you pass and the other side moves again. If you can move, you must."],
    },
    {
      head: "The end",
      text: ["The game is over when neither side can move. Usually the board is full then. Count the discs: the side with more of them wins. Equal numbers are a draw."],
      pictures: [
        {
          caption: "The end of a game: White has 33 discs, Black 31.",
          rows: ["XXXXXXXX", "XOOOXXXX", "XOOOOXXO", "XOXOXXOO", "XOOXXXOO", "XOOXXOOO", "XOOOXOOO", "XXOOOOOO"],
          of: {
            game: "othello",
            moves:
              "f5 f6 f7 f4 f3 g5 d6 f2 f1 c5 e6 e3 g4 g3 b6 g8 h5 d7 e2 b5 d8 g1 c4 g6 f8 d2 h4 c8 c6 h3 d1 e8 a4 c7 e1 h6 h7 g7 h1 c3 c2 a7 d3 h8 b4 b3 e7 b1 a5 a6 h2 b2 a2 a3 g2 c1 a8 pass a1 pass b8 b7",
          },
        },
      ],
    },
    {
      head: "First advice",
      list: [
        "A disc in a corner can never be turned over. Corners are worth a lot.",
        "The square beside an empty corner often gives that corner away.",
        "Many discs early are no advantage: what counts is the end. Few discs often mean more choice.",
      ],
    },
  ],
};
