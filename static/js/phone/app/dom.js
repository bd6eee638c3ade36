// Elements: h("p.muted", {id: "x"}, "text", child, …). Text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes ?? {})) put(element, key, value);
  element.append(...flat(children));
  return element;
}

function put(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (key === "class") element.className = `${element.className} ${value}`.trim();
  else element.setAttribute(key, value === true ? "" : value);
}

function flat(children) {
  return children.flat(3).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

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
