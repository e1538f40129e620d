/* Example games: each is a text that could have been pasted. */

export const EXAMPLES = [
  {
    game: "othello",
    label: "Othello: 33 moves to choose from",
    about: "After 25 moves White has 33 legal moves. No position that play can reach has more.",
    text: "e6f6f5f4c3c6c5d6f7b5g4f3e2f2g2c4b4b3b7b6d7e3b2a3g6",
  },
  {
    game: "choko",
    label: "Choko: the start of perfect play",
    about: "Choko is solved: from the empty board Blue wins in 59 moves. This is the start of the best line.",
    text: "A1 E1 E3 E4 A5 E5 D1 B1 C1 E2 C5 A4 A2 D5 B5 A3 D2 C2 B4 B3 C4 B2 C3 D3 D2xD4,A3 D5xD3,D1",
  },
  {
    game: "quantum-go",
    label: "Quantum Go: Ranchin's Example 1",
    about: "The first game of the paper that invented Quantum Go, on 6 × 6 points, with every choice made.",
    text: `{"game": "quantum-go", "options": {"board": "6x6"}, "moves": ["D3", "C2", "C4", "D5", "D4", "C3", "D3", "C4", "D4", "C3", "D5", "C3", "D2", "D5", "D2", "C5", "D5", "C5", "B2", "E5", "D5", "A3", "B2", "D5", "B3", "E5", "B3", "C2", "E4", "C2", "C1", "E5", "C1", "E4", "E5", "E4", "E3", "B4", "E3", "F4", "E5", "F4", "E6", "A5", "E5", "B4", "E6", "E5", "B4", "A5", "B4", "B5", "F3", "B5", "A5", "F3", "A5", "B6", "F3", "B6", "D6", "F3", "D6", "F6", "B1", "F6", "F5", "F3", "F5", "C6", "F6", "C6", "F3", "A4", "F3", "F6", "A4", "F6", "A4", "A6", "A4", "A6", "A1", "A6", "pass", "pass"]}`,
  },
  {
    game: "chess",
    label: "Chess: Morphy at the opera, 1858",
    about: "Paul Morphy against the Duke of Brunswick and Count Isouard, in a box at the Paris Opera.",
    text: `[Event "Opera House"]
[Site "Paris"]
[Date "1858.??.??"]
[White "Paul Morphy"]
[Black "Duke of Brunswick and Count Isouard"]
[Result "1-0"]

1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7
8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7
14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0`,
  },
  {
    game: "go",
    label: "Go: what was left of Example 1",
    about: "The stones that were left in that game of Quantum Go, played as plain Go. Black wins by 4.",
    text: "(;GM[1]FF[4]SZ[6]KM[0];B[dd];W[cc];B[dc];W[cd];B[de];W[cb];B[be];W[db];B[bd];W[ce];B[cf];W[ec];B[ed];W[fc];B[ea];W[eb];B[bc];W[bb];B[ab];W[ba];B[da];W[fa];B[fb];W[ca];B[fd];W[fa];B[ac];W[aa];B[];W[])",
  },
];
