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

  addEventListener() {}
}

globalThis.document = {
  documentElement: { lang: "en-GB" },
  body: new Element("body"),
  createElement: (name) => new Element(name),
  createElementNS: (_space, name) => new Element(name),
  createComment: () => "",
  addEventListener() {},
};

// What somebody reads of an element, a text or a list of them.
export function textOf(part) {
  return Array.isArray(part) ? part.map(textOf).join("") : (part?.children?.map(textOf).join("") ?? String(part || ""));
}

// Where its links lead.
export function linksOf(part) {
  const parts = Array.isArray(part) ? part : (part?.children ?? []);
  const own = part?.attributes?.href && part.name === "a" ? [part.attributes.href] : [];
  return [...own, ...parts.flatMap(linksOf)];
}
