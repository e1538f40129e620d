/* Chess for someone who has never seen it. */

const EMPTY = "........";

export const rules = {
  game: "chess",
  title: "Chess",
  lead: "White and Black each lead sixteen pieces. Whoever attacks the enemy king so that it cannot escape wins.",
  parts: [
    {
      head: "The start",
      text: [
        "White moves first, then the sides take turns. A move takes one of your pieces to another square. If an enemy piece stands there, it is taken off. You cannot go to a square where one of your own pieces stands.",
        "Click a piece, then the square where it goes.",
      ],
      pictures: [
        {
          caption: "The start. From the left on White's first row: rook, knight, bishop, queen, king, bishop, knight, rook. Before them stand the pawns.",
          rows: ["rnbqkbnr", "pppppppp", EMPTY, EMPTY, EMPTY, EMPTY, "PPPPPPPP", "RNBQKBNR"],
          of: { game: "chess" },
        },
      ],
    },
    {
      head: "How the pieces move",
      text: [
        "Rook, bishop and queen go any number of squares in a straight line, but do not leap over other pieces. The knight leaps. The king goes one square.",
      ],
      pictures: [
        {
          caption: "Rook: along rows and columns.",
          rows: [EMPTY, EMPTY, EMPTY, EMPTY, "...R....", EMPTY, EMPTY, EMPTY],
          marks: dots("a4 b4 c4 e4 f4 g4 h4 d1 d2 d3 d5 d6 d7 d8"),
          reach: true,
        },
        {
          caption: "Bishop: along diagonals.",
          rows: [EMPTY, EMPTY, EMPTY, EMPTY, "...B....", EMPTY, EMPTY, EMPTY],
          marks: dots("a1 b2 c3 e5 f6 g7 h8 a7 b6 c5 e3 f2 g1"),
          reach: true,
        },
        {
          caption: "Queen: like rook and bishop together.",
          rows: [EMPTY, EMPTY, EMPTY, EMPTY, "...Q....", EMPTY, EMPTY, EMPTY],
          marks: dots("a4 b4 c4 e4 f4 g4 h4 d1 d2 d3 d5 d6 d7 d8 a1 b2 c3 e5 f6 g7 h8 a7 b6 c5 e3 f2 g1"),
          reach: true,
        },
        {
          caption: "Knight: two squares straight and one to the side. It leaps over everything.",
          rows: [EMPTY, EMPTY, EMPTY, EMPTY, "...N....", EMPTY, EMPTY, EMPTY],
          marks: dots("b3 b5 c2 c6 e2 e6 f3 f5"),
          reach: true,
        },
        {
          caption: "King: one square in any direction, but never to where it could be taken.",
          rows: [EMPTY, EMPTY, EMPTY, EMPTY, "...K....", EMPTY, EMPTY, EMPTY],
          marks: dots("c3 c4 c5 d3 d5 e3 e4 e5"),
          reach: true,
        },
        {
          caption:
            "Pawn: one square forward, from its first square one or two. It takes diagonally forward: d4 may take the knight on c5. The pawn on g4 is blocked.",
          rows: [EMPTY, EMPTY, EMPTY, "..n...b.", "...P..P.", EMPTY, "P.......", EMPTY],
          marks: { ...dots("a3 a4 d5"), c5: "ring" },
          reach: true,
        },
      ],
    },
    {
      head: "Check and checkmate",
      text: [
        "A king that could be taken on the next move is in check. Its side must respond at once: move the king away, take the attacker, or put a piece between.",
        "If none of that is possible, it is checkmate, and the game is over. A side that is not in check but has no legal move is stalemated: that is a draw.",
      ],
      pictures: [
        {
          caption: "Checkmate: the queen on f7 attacks the king. The bishop on c4 guards her, so the king cannot take, and it has nowhere to go.",
          rows: ["r.bqkb.r", "pppp.Qpp", "..n..n..", "....p...", "..B.P...", EMPTY, "PPPP.PPP", "RNB.K.NR"],
          last: ["h5", "f7"],
          of: { game: "chess", moves: "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7" },
        },
        {
          caption: "Stalemate, Black to move: the king on h8 is not attacked, but every square around it is. Draw.",
          rows: [".......k", ".....Q..", "......K.", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY],
          of: { game: "chess", position: "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1" },
        },
      ],
    },
    {
      head: "Three special moves",
      text: [
        "Castling: the king goes two squares towards a rook, and the rook leaps to its other side. Neither may have moved before, nothing stands between them, and the king is not in check, nor does it cross or reach a square that is attacked. Click the king, then the square two steps away.",
        "En passant: a pawn that has just gone two squares may be taken by an enemy pawn beside it as if it had gone one. This is possible on the very next move only.",
        "Promotion: a pawn that reaches the last row becomes a queen, rook, bishop or knight. You choose.",
      ],
      pictures: [
        {
          caption: "Before castling: both sides may castle to either side.",
          rows: ["r...k..r", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "R...K..R"],
          arrows: [
            ["e1", "g1"],
            ["e8", "c8"],
          ],
          of: { game: "chess", position: "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1" },
        },
        {
          caption: "White has castled to the right, Black to the left.",
          rows: ["..kr...r", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "R....RK."],
          of: { game: "chess", position: "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", moves: "O-O O-O-O" },
        },
        {
          caption: "En passant: Black's pawn has just gone from e7 to e5. White's pawn on d5 may take it by going to e6.",
          rows: ["....k...", EMPTY, EMPTY, "...Pp...", EMPTY, EMPTY, EMPTY, "....K..."],
          arrows: [["d5", "e6"]],
          last: ["e7", "e5"],
          of: { game: "chess", position: "4k3/4p3/8/3P4/8/8/8/4K3 b - - 0 1", moves: "e5" },
        },
        {
          caption: "Promotion: the pawn goes to a8 and becomes another piece.",
          rows: [EMPTY, "P......k", EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, "K......."],
          arrows: [["a7", "a8"]],
          of: { game: "chess", position: "8/P6k/8/8/8/8/8/K7 w - - 0 1" },
        },
      ],
    },
    {
      head: "Draws",
      list: [
        "Stalemate.",
        "Too few pieces are left to checkmate, such as king against king.",
        "The same position comes up for the third time.",
        "Fifty moves of each side without a capture or a pawn move.",
      ],
    },
    {
      head: "First advice",
      list: [
        "A pawn counts 1, knight and bishop 3, a rook 5, the queen 9. Do not give more than you get.",
        "Bring knights and bishops out early, and castle.",
        "Before each move ask: what does the other side threaten?",
      ],
    },
  ],
};

function dots(text) {
  return Object.fromEntries(text.split(" ").map((at) => [at, "dot"]));
}
