// Elements: h("p.muted", {id: "x"}, "text", child, …). Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** @template {string} Name @param {Name} name @param {Attributes} [attributes] @param {...NestedChild} children @returns {ElementOf<Name>} */
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = /** @type {ElementOf<Name>} */ (document.createElement(tag || "div"));
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) setAttribute(element, key, value);
  element.append(...flatten(children));
  return element;
}

/** @param {HTMLElement} element @param {string} key @param {Attributes[string]} value */
function setAttribute(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith("on")) listen(element, key.slice(2), /** @type {Listener} */ (value));
  else if (key === "class") element.className = `${element.className} ${value}`.trim();
  else element.setAttribute(key, value === true ? "" : /** @type {string} */ (value));
}

// A browser names nobody the listeners of an element.
/** @type {WeakMap<Node, Map<string, Listener>>} */
const listeners = new WeakMap();

/** @param {Node} element @param {string} type @param {Listener} listener */
function listen(element, type, listener) {
  element.addEventListener(type, listener);
  listeners.set(element, new Map(listeners.get(element)).set(type, listener));
}

// An element that stays in the page (dom_diff.js) does from now on what the freshly rendered one would do.
/** @param {Node} old @param {Node} fresh */
export function takeListeners(old, fresh) {
  for (const [type, listener] of listeners.get(old) ?? []) old.removeEventListener(type, listener);
  listeners.delete(old);
  for (const [type, listener] of listeners.get(fresh) ?? []) listen(old, type, listener);
}

// An absent child leaves a comment in its place, so that its siblings keep theirs when it comes or goes (dom_diff.js).
/** @param {NestedChild[]} children */
function flatten(children) {
  return /** @type {Child[]} */ (children.flat(3)).map((child) => (isAbsent(child) ? document.createComment("") : child));
}

/** @param {Child} child @returns {child is "" | null | undefined | false} */
const isAbsent = (child) => child === null || child === undefined || child === false || child === "";

// A field of the page shown, if it has it.
/** @param {string} selector @returns {HTMLInputElement | null} */
export const findInput = (selector) => document.querySelector(selector);

// One that the page shown has.
export const inputAt = /** @type {(selector: string) => HTMLInputElement} */ (findInput);

/** @param {string} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("width", "20");
  svg.setAttribute("height", "20");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${document.body.dataset.sprite}#${name}`);
  svg.append(use);
  return svg;
}

// --- postcodes, time ranges, telephone numbers and values with their unit stay on one line of a narrow screen ---

const UNBREAKABLE = new RegExp(
  [
    String.raw`\d{1,2}:\d{2}[–-]\d{1,2}:\d{2}`,
    String.raw`\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b`,
    String.raw`(?:\+\d{1,3} ?|\b0)\d[\d ]{5,}\d`,
    String.raw`[−-]?\b\d+(?:[.,]\d+)? (?:m|km|min|h|dBm|Mbit/s)(?![\w/])`,
  ].join("|"),
  "g",
);

// [{text, isTogether}, …] in the order of the text.
/** @param {string} text */
export function splitUnbreakable(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(UNBREAKABLE)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index), isTogether: false });
    found.push({ text: match[0], isTogether: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from), isTogether: false });
  return found;
}

// Children for an element. The text is the same; only where it may break is different.
/** @param {unknown} text */
export function noBreak(text) {
  return splitUnbreakable(String(text ?? "")).map((piece) => (piece.isTogether ? h("span.no-break", {}, piece.text) : piece.text));
}
