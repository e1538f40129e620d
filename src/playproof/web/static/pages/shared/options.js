/* The options of a third-party game as fields of a form. */

import { choice, el, field } from "../../dom.js";

/** Fields for `game.options`, as `chosen` before; `values()` returns those that differ from the defaults, null if none does. */
export function optionFields(game, chosen = {}) {
  const controls = game.options.map((option) => [option, control(option, chosen[option.name] ?? option.default)]);
  const node = el(
    "div",
    { class: "two", "data-testid": "options", hidden: !controls.length },
    controls.map(([option, input]) => field(title(option.name), input, sentence(option.about))),
  );

  function values() {
    const changed = controls
      .map(([option, input]) => [option.name, read(option, input), option.default])
      .filter(([, value, usual]) => value !== usual);
    return changed.length ? Object.fromEntries(changed.map(([name, value]) => [name, value])) : null;
  }

  return { node, values };
}

function control(option, value) {
  const given = { name: `option-${option.name}`, "data-testid": `option-${option.name}` };
  if (option.choices.length) {
    const pairs = option.choices.map((one) => [String(one), String(one)]);
    return choice(pairs, String(value), null, given);
  }
  if (option.type === "bool") return choice([["true", "yes"], ["false", "no"]], String(value), null, given);
  if (option.type === "str") return el("input", { ...given, type: "text", maxlength: "100", value });
  return el("input", {
    ...given,
    type: "number",
    required: true,
    step: option.type === "int" ? "1" : "any",
    min: option.minimum,
    max: option.maximum,
    value: String(value),
  });
}

function read(option, input) {
  if (option.type === "str") return input.value;
  return option.type === "bool" ? input.value === "true" : Number(input.value);
}

/** "lone_jump" is "Lone jump". */
function title(name) {
  const words = name.replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

function sentence(text) {
  const whole = text ? text[0].toUpperCase() + text.slice(1) : "";
  return /[.!?]$/.test(whole) || !whole ? whole : `${whole}.`;
}
