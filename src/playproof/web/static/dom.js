/* Small helpers to build and fill elements; text is always text, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element.  `given`: class, dataset, on<event> handlers, DOM properties,
    attributes (aria-…, role, for); null, undefined and false are left out. */
export function el(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) put(node, name, value);
  return fill(node, ...children);
}

function put(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name === "class") node.className = value;
  else if (name === "dataset") Object.assign(node.dataset, value);
  else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name in node && typeof value !== "string") node[name] = value;
  else node.setAttribute(name, value === true ? "" : value);
}

/** Appends children: nodes, strings, numbers, lists of them; nothing for null or false. */
export function fill(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** Empties a node and fills it again. */
export function clear(node, ...children) {
  node.replaceChildren();
  return fill(node, ...children);
}

/** Sets the text of a node only if it changes, so that screen readers read it once. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A button; `main` marks the most important one. */
export function button(label, onclick, { main = false, testid = null, ...given } = {}) {
  const kind = main ? "button button-main" : "button";
  return el(
    "button",
    { type: "button", ...given, class: `${kind} ${given.class ?? ""}`.trim(), onclick, "data-testid": testid },
    label,
  );
}

let unique = 0;

/** A labelled control: label, control, and a line about it. */
export function field(label, control, about = null) {
  control.id ||= `field-${++unique}`;
  const note = about instanceof Node ? about : about && el("span", { class: "about" }, about);
  if (note) {
    note.id ||= `${control.id}-about`;
    control.setAttribute("aria-describedby", note.id);
  }
  return el("div", { class: "field" }, el("label", { for: control.id }, label), control, note);
}

/** A drop-down list of [value, label] pairs. */
export function choice(pairs, chosen, onchange = null, given = {}) {
  return el(
    "select",
    { ...given, onchange },
    pairs.map(([value, label]) => el("option", { value, selected: value === chosen }, label)),
  );
}

/** A line drawing of 24 by 24, stroked in the colour of the text around it. */
export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  for (const [name, value] of Object.entries({
    d: path,
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "2",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  }))
    line.setAttribute(name, value);
  svg.append(line);
  return svg;
}

/** Listens to several events of a target; returns a function that ends it. */
export function listen(target, handlers) {
  for (const [name, handler] of Object.entries(handlers)) target.addEventListener(name, handler);
  return () => {
    for (const [name, handler] of Object.entries(handlers)) target.removeEventListener(name, handler);
  };
}
