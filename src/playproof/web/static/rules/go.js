/* Go for someone who has never seen it. */

export const rules = {
  game: "go",
  title: "Go",
  lead: "Black and White place stones on the crossings of a grid. Whoever holds more of the board at the end wins.",
  parts: [
    {
      head: "A move",
      text: [
        "The board is empty at the start. Black moves first, then the sides take turns. A move puts one stone on an empty crossing, called a point. Stones never move.",
        "You may also pass: you place nothing and the other side moves.",
      ],
    },
    {
      head: "Liberties",
      text: [
        "The empty points right beside a stone, along the lines, are its liberties. Stones of one colour that stand side by side form a chain and share their liberties. Diagonals do not connect.",
      ],
      pictures: [
        {
          caption: "The black stone has one liberty left: C2, marked with a ring.",
          rows: [".....", "..O..", ".OXO.", ".....", "....."],
          marks: { C2: "ring" },
          of: { game: "go:board=5x5", position: "5/2O2/1OXO1/5/5 w 0 - 0 0" },
        },
        {
          caption: "Two black stones in a chain. Together they have one liberty: D2.",
          rows: [".....", "..OO.", ".OXXO", "..O..", "....."],
          marks: { D2: "ring" },
          of: { game: "go:board=5x5", position: "5/2OO1/1OXXO/2O2/5 w 0 - 0 0" },
        },
      ],
    },
    {
      head: "Capture",
      text: ["A chain without a liberty is taken off the board. Whoever fills the last liberty takes it."],
      pictures: [
        {
          caption: "White has played C2. The black stone on C3 is gone.",
          rows: [".....", "..O..", ".O.O.", "..O..", "....."],
          last: ["C2"],
          of: { game: "go:board=5x5", position: "5/2O2/1OXO1/5/5 w 0 - 0 0", moves: "C2" },
        },
        {
          caption: "White has played D2. Both stones of the chain are gone.",
          rows: [".....", "..OO.", ".O..O", "..OO.", "....."],
          last: ["D2"],
          of: { game: "go:board=5x5", position: "5/2OO1/1OXXO/2O2/5 w 0 - 0 0", moves: "D2" },
        },
      ],
    },
    {
      head: "What is forbidden",
      text: [
        "You may not put a stone where it would have no liberty, unless it takes something first.",
        "You may not bring back a board that was there before. This rule is called ko. It stops two stones from taking each other forever.",
      ],
      pictures: [
        {
          caption: "White may not play on B4: that stone would have no liberty and takes nothing.",
          rows: [".X...", "X.X..", ".X...", ".....", "....."],
          marks: { B4: "cross" },
          of: { game: "go:board=5x5", position: "1X3/X1X2/1X3/5/5 w 0 - 0 0" },
        },
        {
          caption: "Ko: White has just taken a stone on C3. Black may not take back at once on C3, since the old board would return.",
          rows: [".....", ".XO..", "XO.O.", ".XO..", "....."],
          marks: { C3: "cross" },
          last: ["B3"],
          of: { game: "go:board=5x5", position: "5/1XO2/X1XO1/1XO2/5 w 0 - 0 0", moves: "B3" },
        },
      ],
    },
    {
      head: "The end",
      text: [
        "The game ends when both sides pass, one after the other. Then the area is counted: each side has its stones on the board, and the empty points that only its stones reach. The larger area wins.",
        "White usually gets some points for moving second. They are called komi.",
        "The computer counts every stone on the board as alive. So take off what you have surrounded before you pass.",
      ],
      pictures: [
        {
          caption: "Black has 9 stones and 4 empty points, White 8 stones and 4 empty points: Black wins by one, without komi.",
          rows: ["..XO.", "XXXOO", ".XXO.", "XXOOO", ".XO.."],
          of: { game: "go:board=5x5", position: "2XO1/XXXOO/1XXO1/XXOOO/1XO2 b 1 - 0 0", moves: "pass" },
        },
      ],
    },
    {
      head: "First advice",
      list: [
        "Begin on a small board: 5 × 5 or 9 × 9.",
        "Stones that are connected are harder to take.",
        "A chain that surrounds two separate empty points, its eyes, can never be taken.",
      ],
    },
  ],
};
