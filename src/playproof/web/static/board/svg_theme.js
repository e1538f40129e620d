// The colours of the pictures; their values are formats/svg/theme.py's (see data.js).

import { TONES } from "./data.js";

export { COLOURS, FONT, GROUNDS, PAPERS, PIT_SHADE } from "./data.js";

/** The colours of side `colour`: "b" is Blue among pegs and Black elsewhere. */
export function tone(colour, pegs) {
  if (pegs && Object.hasOwn(TONES.pegs, colour)) return TONES.pegs[colour];
  return TONES.sides[Object.hasOwn(TONES.sides, colour) ? colour : "n"];
}
