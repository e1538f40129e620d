/* Quantum Go (A. Ranchin, 2016) for someone who has never seen it. */

const TURN = "D3 C2 C4 D5 D4 C3";

export const rules = {
  game: "quantum-go",
  title: "Quantum Go",
  lead: "Go with stones that are in two places at once. A turn places a pair; when something touches it, its owner says which of the two stones was there.",
  parts: [
    {
      head: "What is the same as in Go",
      text: [
        "Black and White place stones on the crossings of a grid, called points. Stones of one colour side by side form a chain. The empty points beside a chain are its liberties. A chain without a liberty is taken off. Whoever holds more of the board at the end wins.",
        "If that is new to you, read the rules of Go first; they take two minutes.",
      ],
      link: ["#/rules/go", "Rules of Go"],
    },
    {
      head: "A turn places a pair",
      text: [
        "You place two stones of your colour on two empty points. They are entangled: only one of them will turn out to be there. Until then both points are taken.",
        "Entangled stones are drawn with a dashed edge, and a line joins the two of a pair. Both carry the number of the pair; the oldest pair on the board has number 1. You may also pass.",
      ],
      pictures: [
        {
          caption: "Black has placed the pair 1 on C2 and D3, White the pair 2 on C4 and D5. No stone touches another.",
          rows: ["......", "......", "......", "......", "......", "......"],
          pairs: [
            ["C2", "D3", "b", "1"],
            ["C4", "D5", "w", "2"],
          ],
          of: { game: "quantum-go:board=6x6", moves: "D3 C2 C4 D5" },
        },
      ],
    },
    {
      head: "Contact brings collapse",
      text: [
        "If one of your two new stones stands right beside any other stone, along a line, pairs collapse: of each one stone stays and the other is taken back. It is a collapse as well if your two new stones touch each other. A collapse has three steps.",
      ],
      pictures: [
        {
          caption: "Black places the pair 3 on C3 and D4. Both stones touch the pairs 1 and 2: all three collapse.",
          rows: ["......", "......", "......", "......", "......", "......"],
          pairs: [
            ["C2", "D3", "b", "1"],
            ["C4", "D5", "w", "2"],
            ["C3", "D4", "b", "3"],
          ],
          of: { game: "quantum-go:board=6x6", moves: TURN },
        },
      ],
    },
    {
      head: "Step 1: the mover's older pairs",
      text: ["You keep one stone of each of your own older pairs that a new stone touches, the oldest pair first."],
      pictures: [
        {
          caption: "Black keeps D3. The stone on C2 is taken back; the one on D3 is single now.",
          rows: ["......", "......", "......", "...X..", "......", "......"],
          pairs: [
            ["C4", "D5", "w", "2"],
            ["C3", "D4", "b", "3"],
          ],
          last: ["D3"],
          of: { game: "quantum-go:board=6x6", moves: `${TURN} D3` },
        },
      ],
    },
    {
      head: "Step 2: the opponent's pairs",
      text: ["The opponent does the same for the opponent's pairs that a new stone touches. So in the middle of your turn the other side may have something to decide."],
      pictures: [
        {
          caption: "White keeps C4.",
          rows: ["......", "......", "..O...", "...X..", "......", "......"],
          pairs: [["C3", "D4", "b", "3"]],
          last: ["C4"],
          of: { game: "quantum-go:board=6x6", moves: `${TURN} D3 C4` },
        },
      ],
    },
    {
      head: "Step 3: the new pair",
      text: [
        "You keep one of the two stones you have just placed. If a new stone touches a stone that stayed in step 1 or 2 of this turn, you must keep such a stone. Stones that were single before do not bind you: then you may keep the one that touches nothing.",
        "Stones are captured only after step 3: first the opponent's chains without liberties, then your own.",
      ],
      pictures: [
        {
          caption: "Black keeps D4. Three single stones are left, and it is White's turn.",
          rows: ["......", "......", "..OX..", "...X..", "......", "......"],
          last: ["D4"],
          of: { game: "quantum-go:board=6x6", moves: `${TURN} D3 C4 D4` },
        },
      ],
    },
    {
      head: "What is forbidden",
      text: [
        "No board may repeat, where a board means its single stones and its pairs. And a turn may not end with your own stones being captured. You need not work that out: the lab offers only choices that leave a legal turn.",
        "With only one empty point left there is no room for a pair: you pass.",
      ],
    },
    {
      head: "The end",
      text: [
        "The game ends when both sides pass, one after the other. Pairs that are left over collapse: whoever passed last keeps one stone of each own pair, then the other side does.",
        "Then the area is counted: each side's stones, and the empty points that only its stones reach. The larger area wins.",
      ],
    },
    {
      head: "Other ways to play",
      list: [
        "Chance decides which stone stays, with the probabilities of Born's rule.",
        "Weak: a stone on the diagonal touches too.",
        "Symmetric: the second stone stands opposite the first, seen from the centre.",
        "One side alone places pairs; the other plays plain Go.",
        "Triples: three entangled stones, of which contact leaves one. W states: contact takes away one of the three.",
      ],
      link: ["#/classroom", "To the classroom: what this has to do with quantum physics"],
    },
  ],
};
