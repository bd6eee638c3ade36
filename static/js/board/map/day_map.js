// The map of the day: the cards that the page shows as pins, and each engineer's visits in order as a route. What a card
// says is read from it, so that filters, closed areas and the chosen job are the same; only places come from the server.
import { SOMEWHERE, SOMEWHERE_ZOOM, createMap } from "./map_base.js";
import { showLegend } from "./map_legend.js";
import { addPins, drawPins, pinAt } from "./map_pins.js";
import { createSymbols } from "./map_symbols.js";
import { boardElement } from "../day/timeline.js";

/** @type {[number, number]} */
const MARGIN = [40, 40];
const NEAREST_ZOOM = 15;
const TIMEOUT_MS = 8000;

/** @param {DayMapBox} box */
export function start(box) {
  const map = createMap(box, { zoomControl: true });
  map.setView(SOMEWHERE, SOMEWHERE_ZOOM);
  /** @type {DayMap} */
  const day = { box, map, places: { jobs: {}, engineers: [], legend: [] }, layer: addPins(map, symbolsOf(() => day)), isFitted: false, chosen: "", tip: tipIn(box) };
  document.addEventListener("board:swapped", () => load(day));
  document.addEventListener("board:filtered", () => show(day));
  boardElement().addEventListener("focusin", (event) => /** @type {Element} */ (event.target).closest(".card") && show(day));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redrawn(day));
  new ResizeObserver(() => map.invalidateSize()).observe(box);
  map.on("click", (event) => cardOf(pinAt(day.layer, event.layerPoint))?.querySelector("a")?.click());
  map.on("mousemove", (event) => point(day, event));
  if (boardElement().classList.contains("layout-map")) keepOrder();
  load(day);
}

/** @param {() => DayMap} day */
const symbolsOf = (day) => createSymbols((slug) => day().places.legend.find((entry) => entry.slug === slug)?.character ?? "");

/** @param {DayMap} day */
function redrawn(day) {
  day.layer.symbols = symbolsOf(() => day);
  drawPins(day.layer);
}

/** @param {HTMLElement} box */
function tipIn(box) {
  const tip = document.createElement("div");
  tip.className = "map-tip";
  tip.hidden = true;
  box.append(tip);
  return tip;
}

/** @param {DayMap} day */
async function load(day) {
  show(day);
  try {
    const answer = await fetch(day.box.dataset.url, { signal: AbortSignal.timeout(TIMEOUT_MS), cache: "no-store" });
    if (!answer.ok || answer.redirected) return;
    day.places = await answer.json();
  } catch {
    // offline: the board says so, and the last known places stay
    return;
  }
  showLegend(day);
  show(day);
}

/** @param {DayMap} day */
function show(day) {
  const [waiting, lanes] = [cardsIn(boardElement(), ".card-waiting"), openLanes()];
  const focused = document.activeElement?.closest(".card")?.id;
  /** @type {Map<string, number>} */
  const together = new Map();
  /** @param {JobCard} card @param {number} stop */
  const pinOf = (card, stop) => newPin(day, together, card, stop, focused === card.id);
  const routes = lanes.map((lane) => routeOf(lane, pinOf));
  const alone = waiting.filter((card) => !card.classList.contains("is-faded")).map((card) => pinOf(card, 0));
  day.layer.routes = routes.map(({ stops, isChosen }) => ({ stops: stops.filter(isPin), isChosen }));
  const pins = [...alone, ...routes.flatMap(({ pins: own }) => own)];
  day.layer.pins = pins.filter(isPin);
  day.layer.engineers = day.places.engineers.map((engineer) => ({ ...engineer, x: 0, y: 0, spread: 0, origin: "" }));
  writeNote(day, pins.length - day.layer.pins.length);
  fit(day);
  drawPins(day.layer);
}

/** @param {MapPin | null} pin @returns {pin is MapPin} */
const isPin = (pin) => pin !== null;
const openLanes = () => [.../** @type {NodeListOf<LaneElement>} */ (boardElement().querySelectorAll(".lane[data-engineer]:not([hidden])"))];
/** @param {Element} element @param {string} selector */
const cardsIn = (element, selector) => [.../** @type {NodeListOf<JobCard>} */ (element.querySelectorAll(selector))];
/** @param {MapPin | null} pin */
const cardOf = (pin) => pin && document.getElementById(`card-${pin.id}`);

// a cancelled visit is a pin, but no stop
/** @param {LaneElement} lane @param {(card: JobCard, stop: number) => MapPin | null} pinOf */
function routeOf(lane, pinOf) {
  let stop = 0;
  const pins = cardsIn(lane, ".card").map((card) => pinOf(card, card.classList.contains("state-cancelled") ? 0 : ++stop));
  const stops = pins.filter((pin) => pin === null || pin.stop > 0);
  return { pins, stops, isChosen: pins.some((pin) => pin?.isChosen) };
}

/** @param {DayMap} day @param {Map<string, number>} together @param {JobCard} card @param {number} stop @param {boolean} isFocused @returns {MapPin | null} */
function newPin({ places }, together, card, stop, isFocused) {
  const position = places.jobs[card.dataset.job];
  if (!position) return null;
  const spread = together.get(String(position)) ?? 0;
  together.set(String(position), spread + 1);
  const state = /\bstate-(\S+)/.exec(card.className)?.[1] ?? "";
  const risk = card.classList.contains("needs-attention") ? "late" : card.dataset.risk;
  const isChosen = isFocused || card.classList.contains("is-chosen");
  return { id: card.dataset.job, latitude: position[0], longitude: position[1], state, risk, stop, isChosen, isFaded: card.classList.contains("is-faded"), spread, x: 0, y: 0, origin: "" };
}

/** @param {DayMap} day @param {number} missing */
function writeNote({ box, places }, missing) {
  const line = /** @type {HTMLElement} */ (document.getElementById("map-note"));
  line.hidden = !missing || !places.legend.length;
  line.textContent = box.dataset.missing.replace("{number}", String(missing));
}

// once to all pins; later only to a job that was chosen and lies outside
/** @param {DayMap} day */
function fit(day) {
  const { map, layer } = day;
  const chosen = layer.pins.find((pin) => pin.isChosen);
  if (!day.isFitted && layer.pins.length) {
    day.isFitted = true;
    map.fitBounds(layer.pins.map(({ latitude, longitude }) => [latitude, longitude]), { padding: MARGIN, maxZoom: NEAREST_ZOOM });
  } else if (chosen && chosen.id !== day.chosen && !map.getBounds().contains([chosen.latitude, chosen.longitude])) {
    map.panTo([chosen.latitude, chosen.longitude]);
  }
  day.chosen = chosen?.id ?? "";
}

/** @param {DayMap} day @param {MapPointerEvent} event */
function point({ box, map, layer, tip }, event) {
  const pin = map.dragging.moving() ? null : pinAt(layer, event.layerPoint);
  box.classList.toggle("is-on-pin", pin !== null);
  tip.hidden = !pin;
  if (!pin) return;
  tip.textContent = cardOf(pin)?.querySelector("a")?.title ?? "";
  const { x, y } = event.containerPoint;
  const isRight = x > map.getSize().x / 2;
  tip.style.transform = `translate(${isRight ? x - 12 : x + 12}px, ${y + 12}px)${isRight ? " translateX(-100%)" : ""}`;
}

// next to the large map the rows are lists without a time axis, so a card cannot be moved there
function keepOrder() {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#lanes, #filters"))) {
    part.addEventListener("pointerdown", (event) => /** @type {Element} */ (event.target).closest(".card") && event.stopPropagation());
    part.addEventListener("keydown", (event) => event.key.toLowerCase() === "m" && event.target instanceof HTMLAnchorElement && event.stopPropagation());
  }
}
