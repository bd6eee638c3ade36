// Pins and routes on one canvas of our own above the map: thousands of them are copied in a few milliseconds, where
// Leaflet's own markers are elements and its canvas paths are drawn anew one by one.
import { L } from "./map_base.js";

// the part around the visible map that is drawn as well, so that a pan does not draw each frame
const MARGIN = 0.4;
const REACH_PX = 14;
// pins at the same position (flats of one building) are drawn in rows of this many
const IN_ROW = 6;
const SPREAD_PX = 12;
const FADED = 0.25;
const NEXT_TO_CHOSEN = 0.55;
// on a map that shows whole counties pins are smaller, and only the chosen route has its numbers
const CLOSE_ZOOM = 11.5;
const FEW = 60;
const SMALL = 0.7;
const LARGE = 1.25;

/** @param {LeafletMap} map @param {MapSymbols} symbols @returns {PinLayer} */
export function addPins(map, symbols) {
  const canvas = document.createElement("canvas");
  canvas.className = "leaflet-zoom-hide map-pins";
  map.getPanes().overlayPane.append(canvas);
  /** @type {PinLayer} */
  const layer = { map, canvas, symbols, pins: [], routes: [], engineers: [], edge: [0, 0] };
  map.on("moveend", () => drawPins(layer));
  map.on("resize", () => drawPins(layer));
  map.on("move", () => isAtEdge(layer) && drawPins(layer));
  return layer;
}

/** @param {PinLayer} layer */
function isAtEdge({ map, edge }) {
  const size = map.getSize();
  const corner = map.containerPointToLayerPoint([0, 0]);
  const [x, y] = [corner.x - edge[0], corner.y - edge[1]];
  return x < 0 || y < 0 || x > 2 * MARGIN * size.x || y > 2 * MARGIN * size.y;
}

/** @param {PinLayer} layer */
export function drawPins(layer) {
  const { map, canvas } = layer;
  const size = map.getSize();
  const corner = map.containerPointToLayerPoint([Math.round(-MARGIN * size.x), Math.round(-MARGIN * size.y)]);
  layer.edge = [corner.x, corner.y];
  L.DomUtil.setPosition(canvas, corner);
  const context = resetCanvas(canvas, size.x * (1 + 2 * MARGIN), size.y * (1 + 2 * MARGIN));
  context.translate(-corner.x, -corner.y);
  // a pan moves the map's layer as a whole; only a zoom or new pins change positions on it
  const origin = String(map.getPixelOrigin());
  for (const points of [layer.pins, layer.engineers]) {
    for (const point of points) if (point.origin !== origin) positionPoint(map, point, origin);
  }
  const chosen = layer.routes.find((route) => route.isChosen);
  const isClose = map.getZoom() > CLOSE_ZOOM || layer.pins.length < FEW;
  /** @param {MapPin} pin */
  const isOnTop = (pin) => pin.isChosen || Boolean(chosen?.stops.includes(pin));
  const below = layer.pins.filter((pin) => !isOnTop(pin));
  for (const route of layer.routes) if (route !== chosen) drawRoute(context, layer, route);
  for (const pin of below) drawPin(context, layer, pin, { scale: isClose ? 1 : SMALL, alpha: chosen ? NEXT_TO_CHOSEN : 1, hasStop: isClose });
  for (const { x, y, initials } of layer.engineers) drawSymbol(context, layer.symbols.engineer(initials, isClose ? 1 : SMALL), x, y);
  if (chosen) drawRoute(context, layer, chosen);
  for (const pin of layer.pins.filter(isOnTop)) drawPin(context, layer, pin, { scale: pin.isChosen ? LARGE : 1, alpha: 1, hasStop: true });
}

/** @param {HTMLCanvasElement} canvas @param {number} width @param {number} height */
function resetCanvas(canvas, width, height) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== wide || canvas.height !== high) {
    [canvas.width, canvas.height] = [wide, high];
    canvas.style.width = `${wide / devicePixelRatio}px`;
  }
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** @param {LeafletMap} map @param {MapPoint} point @param {string} origin */
function positionPoint(map, point, origin) {
  point.origin = origin;
  const found = map.latLngToLayerPoint([point.latitude, point.longitude]);
  point.x = found.x + (point.spread % IN_ROW) * SPREAD_PX;
  point.y = found.y + Math.floor(point.spread / IN_ROW) * SPREAD_PX;
}

/** @param {CanvasRenderingContext2D} context @param {PinLayer} layer @param {MapRoute} route */
function drawRoute(context, { symbols }, { stops, isChosen }) {
  context.beginPath();
  for (const { x, y } of stops) context.lineTo(x, y);
  context.globalAlpha = isChosen ? 1 : 0.45;
  context.lineWidth = isChosen ? 3 : 1.5;
  context.strokeStyle = isChosen ? symbols.chosenLine : symbols.line;
  context.stroke();
  context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {PinLayer} layer @param {MapPin} pin @param {{ scale: number, alpha: number, hasStop: boolean }} how */
function drawPin(context, { symbols }, pin, { scale, alpha, hasStop }) {
  context.globalAlpha = pin.isFaded ? FADED : alpha;
  drawSymbol(context, symbols.job(pin, scale), pin.x, pin.y);
  if (hasStop && pin.stop) drawSymbol(context, symbols.stop(pin.stop, scale), pin.x, pin.y);
  context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {HTMLCanvasElement} symbol @param {number} x @param {number} y */
function drawSymbol(context, symbol, x, y) {
  const size = symbol.width / devicePixelRatio;
  context.drawImage(symbol, Math.round(x - size / 2), Math.round(y - size / 2), size, size);
}

// the pin under the pointer, the one on top first
/** @param {PinLayer} layer @param {{ x: number, y: number }} point @returns {MapPin | null} */
export function pinAt({ pins }, { x, y }) {
  let [best, nearest] = [/** @type {MapPin | null} */ (null), REACH_PX];
  for (const pin of pins) {
    const away = Math.hypot(pin.x - x, pin.y - y);
    if (away <= nearest) [best, nearest] = [pin, away];
  }
  return best;
}
