// The location of a job or of a home: a marker; of a job also where the engineer was at "en route" and "on site" with the accuracy as a circle.
import { L, SOMEWHERE, SOMEWHERE_ZOOM, colour, createMap } from "./map_base.js";

const NEAR = 16;
/** @type {[number, number]} */
const MARGIN = [30, 30];

/** @param {LocationBox} box */
export function start(box) {
  const { latitude, longitude, tiles, images, title } = box.dataset;
  /** @type {MapPlace | null} */
  const site = latitude ? [Number(latitude), Number(longitude)] : null;
  const positions = givenPositions();
  // without tiles there is nothing to aim at, so the degrees are typed
  if (!tiles && !site) return;
  L.Icon.Default.imagePath = images;
  const map = createMap(box, { zoomControl: Boolean(tiles) || positions.length > 0 });
  map.setView(site ?? SOMEWHERE, site ? NEAR : SOMEWHERE_ZOOM);
  const marker = site && L.marker(site, { title, alt: title, keyboard: false }).addTo(map);
  if (site && positions.length) showPositions(map, site, positions);
  if (tiles && "canLocate" in box.dataset) map.on("click", (event) => choose(box, map, marker, event.latlng));
}

// from the list next to the map, where each has its number
/** @returns {GivenPosition[]} */
function givenPositions() {
  const lines = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".positions li"))];
  const found = lines.map(({ dataset, textContent }, index) => ({
    latitude: Number(dataset.latitude),
    longitude: Number(dataset.longitude),
    accuracy: Number(dataset.accuracy),
    number: String(index + 1),
    title: (textContent ?? "").trim().replace(/\s+/g, " "),
  }));
  return found.filter((_position, index) => lines[index].dataset.latitude);
}

/** @param {LeafletMap} map @param {MapPlace} site @param {GivenPosition[]} positions */
function showPositions(map, site, positions) {
  const stroke = colour("action");
  for (const { latitude, longitude, accuracy, number, title } of positions) {
    /** @type {MapPlace} */
    const position = [latitude, longitude];
    L.polyline([site, position], { color: stroke, weight: 2, dashArray: "4 4", interactive: false }).addTo(map);
    if (accuracy) L.circle(position, { radius: accuracy, color: stroke, weight: 1, interactive: false }).addTo(map);
    const icon = L.divIcon({ className: "map-number", html: element(number), iconSize: [22, 22] });
    L.marker(position, { icon, title, alt: title, keyboard: false }).addTo(map);
  }
  map.fitBounds([site, ...positions.map(boundsPlace)], { padding: MARGIN, maxZoom: NEAR });
}

/** @param {GivenPosition} position @returns {MapPlace} */
const boundsPlace = ({ latitude, longitude }) => [latitude, longitude];

/** @param {string} number */
function element(number) {
  const made = document.createElement("span");
  made.textContent = number;
  return made;
}

/** @param {LocationBox} box @param {LeafletMap} map @param {MapMarker | null} marker @param {LatLng} latlng */
function choose(box, map, marker, latlng) {
  const position = latlng.wrap();
  fill(box.dataset.latitudeField ?? "latitude", position.lat);
  fill(box.dataset.longitudeField ?? "longitude", position.lng);
  if (marker) marker.setLatLng(position);
  else if (map.chosen) map.chosen.setLatLng(position);
  else map.chosen = L.marker(position, { keyboard: false }).addTo(map);
}

/** @param {string} id @param {number} degrees */
function fill(id, degrees) {
  const field = document.getElementById(id);
  if (field instanceof HTMLInputElement) field.value = degrees.toFixed(6);
}
