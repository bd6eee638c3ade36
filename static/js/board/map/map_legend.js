// What the shapes on the map of the day mean.

/** @param {DayMap} day */
export function showLegend({ places, layer }) {
  const list = /** @type {HTMLElement} */ (document.getElementById("map-legend"));
  list.replaceChildren(...places.legend.map(({ slug, label }) => entry(layer.symbols.job({ state: slug, risk: "none", isChosen: false }, 1), label)));
}

/** @param {HTMLCanvasElement} symbol @param {string} label */
function entry(symbol, label) {
  const line = document.createElement("li");
  const image = document.createElement("canvas");
  [image.width, image.height] = [symbol.width, symbol.height];
  image.getContext("2d")?.drawImage(symbol, 0, 0);
  line.append(image, label);
  return line;
}
