// Of a browser's document what dom.js makes elements with, and the text of what was made.

class Element {
  children = [];
  attributes = {};
  dataset = {};

  constructor(name) {
    this.name = name;
  }

  append(...children) {
    this.children.push(...children);
  }

  setAttribute(key, value) {
    this.attributes[key] = value;
  }

  addEventListener(type, listener) {
    this[`on${type}`] = listener;
  }
}

globalThis.document = {
  documentElement: { lang: "en-GB" },
  body: new Element("body"),
  createElement: (name) => new Element(name),
  createElementNS: (_space, name) => new Element(name),
  createComment: () => "",
  querySelector: () => null,
  querySelectorAll: () => [],
  addEventListener() {},
};

// What somebody reads of an element, a text or a list of them.
export function textOf(part) {
  return Array.isArray(part) ? part.map(textOf).join("") : (part?.children?.map(textOf).join("") ?? String(part || ""));
}

// Every element of it, each before those in it.
export function elementsOf(part) {
  if (Array.isArray(part)) return part.flatMap(elementsOf);
  return part?.children ? [part, ...part.children.flatMap(elementsOf)] : [];
}

// A tap on its button of this label.
export const tap = (part, label) => elementsOf(part).find((element) => element.name === "button" && textOf(element).trim() === label).onclick();

// Where its links lead.
export function linksOf(part) {
  const parts = Array.isArray(part) ? part : (part?.children ?? []);
  const own = part?.attributes?.href && part.name === "a" ? [part.attributes.href] : [];
  return [...own, ...parts.flatMap(linksOf)];
}
