/* Texts shared by several pages: names and descriptions of games, seats, values and times. */

const RESULTS = { "1-0": 0, "0-1": 1 };

export function gameOf(catalog, name) {
  return catalog.games.find((game) => game.name === name) ?? catalog.games[0];
}

/** The sides of a state: [{colour, name}], first player first. */
export function sides(catalog, state) {
  const game = gameOf(catalog, state.game);
  return game.players.map((name, i) => ({ name, colour: game.colours[i] }));
}

/** How the game ended, in one sentence; "" while it is running. */
export function ending(catalog, state) {
  if (state.result === "*" || !state.result) return "";
  const who = RESULTS[state.result];
  const players = sides(catalog, state);
  const head = who === undefined ? "Draw." : `${players[who].name} wins.`;
  const why = (state.reason || state.view?.over || "").trim();
  if (!why) return head;
  const full = /[.!?]$/.test(why) ? why : `${why}.`;
  return full.toLowerCase().includes("wins") || full.toLowerCase().startsWith("draw") ? full : `${head} ${full}`;
}

/** The name of a seat: "You", "Guest", or the level of an agent's spec. */
export function seatName(catalog, state, seat) {
  if (seat.kind !== "agent") return seat.kind === "open" ? "Open seat" : seat.name;
  const known = gameOf(catalog, state.game).opponents.find((one) => one.spec === seat.spec);
  return known ? `Computer, ${known.level}` : `Computer, ${seat.spec ?? seat.name}`;
}

export function variantLabel(catalog, state) {
  const game = gameOf(catalog, state.game);
  const found = game.variants.find((one) => one.id === state.variant);
  return found ? found.label : changed(game.options ?? [], state.options ?? {});
}

/** "size 4, blocked draws": the options that differ from the defaults. */
function changed(options, values) {
  return options
    .filter((one) => one.name in values && values[one.name] !== one.default)
    .map((one) => `${one.name.replaceAll("_", " ")} ${values[one.name]}`)
    .join(", ");
}

const GOALS = {
  othello: "Enclose the other side's discs and turn them over. The side with more discs wins.",
  choko: "Place, step and jump. Take all twelve enemy pieces.",
  "quantum-go": "Go with pairs of stones: when a pair is touched, its owner decides which of the two stones was there.",
  chess: "Attack the enemy king so that it cannot escape.",
  go: "Surround more of the board than the other side.",
};

/** The aim of a game in one line, with its variant. */
export function goal(catalog, state) {
  const variant = variantLabel(catalog, state);
  const text = GOALS[state.game] ?? sentence(gameOf(catalog, state.game).summary);
  // A size stays on one line.
  return variant && variant !== "Standard" ? `${text} (${variant.replaceAll(" × ", "\u00a0×\u00a0")})` : text;
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

/** "12:34" or, in the last ten seconds, "7.3". */
export function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return (Math.floor(left * 10) / 10).toFixed(1);
  const whole = Math.floor(left);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export function percent(share) {
  return `${Math.round(100 * share)}%`;
}

/** A value with a sign, from the first player's side. */
export function valueText(value, unit) {
  if (value === null || value === undefined) return "–";
  const digits = unit === "points" ? 1 : 2;
  const text = Math.abs(value).toFixed(digits);
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

/** "just now", "5 minutes ago", or a date. */
export function ago(time, now = Date.now()) {
  const then = typeof time === "number" ? (time < 1e12 ? time * 1000 : time) : Date.parse(time);
  if (Number.isNaN(then)) return "";
  const minutes = Math.round((now - then) / 60000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} minute${minutes === 1 ? "" : "s"} ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return `${hours} hour${hours === 1 ? "" : "s"} ago`;
  return new Date(then).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}
