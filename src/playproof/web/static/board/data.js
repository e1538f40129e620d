// Written from playproof/formats by tests/support/web/board/board_data.py, which also
// writes it again: change colours, widths and shapes there.  JSON after each sign.

export const FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif";

export const COLOURS = {
  "BLUE": "#0a6ebd",
  "RED": "#c8401a",
  "AMBER": "#e69f00",
  "AMBER_INK": "#1c1600",
  "UMBER": "#7d4a00",
  "NAVY": "#0b3d66",
  "PALE": "#f0f6f3",
  "WHITE": "#ffffff",
  "INK": "#1c1f23",
  "SLATE": "#56616b",
  "VIOLET": "#7a2a8c",
  "CREAM": "#fbe9a0",
  "SWATCH": "#9aa3ab"
};

export const PAPERS = {
  "light": {
    "card": "#ffffff",
    "edge": "#e0e3e6",
    "text": "#1c2126",
    "quiet": "#56616b",
    "label": "#5a5e62",
    "raised": "#eef1f4"
  },
  "dark": {
    "card": "#1d2226",
    "edge": "#343b41",
    "text": "#e9ecee",
    "quiet": "#a7b1ba",
    "label": "#b0b3b6",
    "raised": "#2a3137"
  }
};

export const GROUNDS = {
  "felt": {
    "fill": "#2f7f5c",
    "second": "#2a7453",
    "line": "#1b5a40",
    "frame": "#173f2f",
    "heat": "#fbe9a0",
    "last": "#e69f00",
    "tints": null
  },
  "check": {
    "fill": "#efe2cb",
    "second": "#b48d67",
    "line": "#5b4532",
    "frame": "#5b4532",
    "heat": "#7a2a8c",
    "last": "#7d4a00",
    "tints": [
      "#ebc77a",
      "#c8943d"
    ]
  },
  "wood": {
    "fill": "#e4c082",
    "second": "#d5ae6c",
    "line": "#6b5027",
    "frame": "#a37c3f",
    "heat": "#7a2a8c",
    "last": "#e69f00",
    "tints": null
  },
  "sand": {
    "fill": "#dfc594",
    "second": "#b58f58",
    "line": "#8d6b3b",
    "frame": "#8d6b3b",
    "heat": "#7a2a8c",
    "last": "#e69f00",
    "tints": null
  }
};

export const PIT_SHADE = "#9f7b47";

export const TONES = {
  "pegs": {
    "b": {
      "fill": "#1c5794",
      "edge": "#0e3560",
      "detail": "#9cc4ea",
      "ink": "#ffffff",
      "core": false
    },
    "r": {
      "fill": "#d2492f",
      "edge": "#84240f",
      "detail": "#fbe6dc",
      "ink": "#ffffff",
      "core": true
    }
  },
  "sides": {
    "b": {
      "fill": "#1c1f23",
      "edge": "#000000",
      "detail": "#565d66",
      "ink": "#ffffff",
      "core": false
    },
    "w": {
      "fill": "#faf8f2",
      "edge": "#6f6a60",
      "detail": "#cfc9ba",
      "ink": "#1c1f23",
      "core": false
    },
    "r": {
      "fill": "#c8381f",
      "edge": "#1f0602",
      "detail": "#fbe6dc",
      "ink": "#ffffff",
      "core": true
    },
    "y": {
      "fill": "#ffd93a",
      "edge": "#1f1900",
      "detail": "#8a6a00",
      "ink": "#1c1600",
      "core": true
    },
    "g": {
      "fill": "#45a85a",
      "edge": "#07170b",
      "detail": "#123d1b",
      "ink": "#101a12",
      "core": false
    },
    "u": {
      "fill": "#1f5fb4",
      "edge": "#041226",
      "detail": "#bcd8f5",
      "ink": "#ffffff",
      "core": false
    },
    "o": {
      "fill": "#ee8419",
      "edge": "#1f0e02",
      "detail": "#5c2c00",
      "ink": "#1c1206",
      "core": true
    },
    "p": {
      "fill": "#53297a",
      "edge": "#14061f",
      "detail": "#dfc8f2",
      "ink": "#ffffff",
      "core": true
    },
    "n": {
      "fill": "#8b939a",
      "edge": "#0e1113",
      "detail": "#d5dade",
      "ink": "#14171a",
      "core": false
    }
  }
};

export const RADII = {
  "kinds": {
    "disc": 0.41,
    "stone": 0.45,
    "peg": 0.35
  },
  "letter": 0.38
};

export const SIDE_NAMES = {
  "b": "Black",
  "w": "White",
  "r": "Red",
  "y": "Yellow",
  "g": "Green",
  "u": "Blue",
  "o": "Orange",
  "p": "Purple",
  "n": "Grey"
};

export const WIDTHS = [
  [
    "ijl.,:;'|! ",
    0.31
  ],
  [
    "Ifrt-()[]\"/*",
    0.41
  ],
  [
    "mwMW@%",
    0.93
  ]
];

export const CHESS = {
  "edge": 3.2,
  "line": 2.6,
  "inks": {
    "w": {
      "fill": "#fdfbf4",
      "edge": "#3b342a",
      "line": "#3b342a"
    },
    "b": {
      "fill": "#2d2b2e",
      "edge": "#0d0c0d",
      "line": "#e4ddcf"
    }
  },
  "shapes": {
    "P": {
      "outlines": [
        "M50 20C57 20 62.5 25.5 62.5 32.5C62.5 36.8 60.4 40.5 57.2 42.8H62.5V48.5H56.5C57 60 60.5 67 69 73.5C73.5 77 75.5 81 75.5 87H24.5C24.5 81 26.5 77 31 73.5C39.5 67 43 60 43.5 48.5H37.5V42.8H42.8C39.6 40.5 37.5 36.8 37.5 32.5C37.5 25.5 43 20 50 20z"
      ],
      "lines": [
        "M31 78H69"
      ],
      "dots": []
    },
    "N": {
      "outlines": [
        "M74.5 87H28.5C28.5 75.5 34 68.5 42 61.5C46.5 57.5 48.8 54 48.5 49.5C43.5 54 38.5 55.8 34 57C31.5 58 30.2 61.8 27.2 63.2C23.5 64.8 18.8 61.8 18.3 57.5C18 54 20 50.5 22.5 46.5C25 42.3 25.5 38 28.3 33.5C30.3 30.4 32.6 28.3 35 26.6L34 15.5L42.5 22.4C44 22 45.4 21.9 46.8 22L51.5 13.5L55 23.6C69 28.5 77 43.5 77 62C77 72 76.3 80 74.5 87z"
      ],
      "lines": [
        "M57.5 31.5C66 38.5 70 50 69.5 66"
      ],
      "dots": [
        [
          36.5,
          37.5,
          2.9
        ],
        [
          24.6,
          54.8,
          1.8
        ]
      ]
    },
    "B": {
      "outlines": [
        "M50 21C60.5 28.5 67 38 66.5 47.5C66 53.5 62.5 57 58.5 59.5H63V65.5H57.5C58.5 70 61.5 72.8 67 75C71.5 77 74 81.5 74.5 87H25.5C26 81.5 28.5 77 33 75C38.5 72.8 41.5 70 42.5 65.5H37V59.5H41.5C37.5 57 34 53.5 33.5 47.5C33 38 39.5 28.5 50 21z",
        "M44.5 15.5A5.5 5.5 0 1 0 55.5 15.5A5.5 5.5 0 1 0 44.5 15.5z"
      ],
      "lines": [
        "M50 33V48",
        "M43 39.5H57",
        "M41.5 59.5H58.5"
      ],
      "dots": []
    },
    "R": {
      "outlines": [
        "M26 17H37V24.5H45V17H55V24.5H63V17H74V35L65.5 41.5V66L70.5 72.5V77H76V87H24V77H29.5V72.5L34.5 66V41.5L26 35z"
      ],
      "lines": [
        "M34.5 41.5H65.5",
        "M34.5 66H65.5",
        "M29.5 77H70.5"
      ],
      "dots": []
    },
    "Q": {
      "outlines": [
        "M29.5 70.5L20.5 34L34.5 55.5L35.5 27L46 53L50 22L54 53L64.5 27L65.5 55.5L79.5 34L70.5 70.5C73.8 72.5 75.5 77 76 82V87H24V82C24.5 77 26.2 72.5 29.5 70.5z",
        "M15.5 31A4.8 4.8 0 1 0 25.1 31A4.8 4.8 0 1 0 15.5 31z",
        "M30.5 23.5A4.8 4.8 0 1 0 40.1 23.5A4.8 4.8 0 1 0 30.5 23.5z",
        "M45.2 18.5A4.8 4.8 0 1 0 54.8 18.5A4.8 4.8 0 1 0 45.2 18.5z",
        "M59.9 23.5A4.8 4.8 0 1 0 69.5 23.5A4.8 4.8 0 1 0 59.9 23.5z",
        "M74.9 31A4.8 4.8 0 1 0 84.5 31A4.8 4.8 0 1 0 74.9 31z"
      ],
      "lines": [
        "M29.5 70.5C42 66 58 66 70.5 70.5",
        "M24.5 80C41 76 59 76 75.5 80"
      ],
      "dots": []
    },
    "K": {
      "outlines": [
        "M50 37C54 29 66 27 73 34C80.5 42 76 53.5 67 61L68 71.5C72 73 74.5 77.5 75 82V87H25V82C25.5 77.5 28 73 32 71.5L33 61C24 53.5 19.5 42 27 34C34 27 46 29 50 37z",
        "M47.2 10.5H52.8V16.5H58.5V22H52.8V30.5L50 37L47.2 30.5V22H41.5V16.5H47.2z"
      ],
      "lines": [
        "M33 61C44 56.5 56 56.5 67 61",
        "M32 71.5C44 67.5 56 67.5 68 71.5",
        "M50 37V57.5"
      ],
      "dots": []
    }
  }
};
