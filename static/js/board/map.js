// The job's location: a marker on the configured tiles, or on a plain background when there are none.
import "../../vendor/leaflet/leaflet.js";

/** @type {any} */
const L = globalThis["L"];
const NEAR = 16;
// where a job without a place begins: the British Isles, wide enough to find any town
const SOMEWHERE = [54.5, -3];

export function start(box) {
  const { latitude, longitude, tiles, attribution, images, title } = box.dataset;
  const place = latitude ? [Number(latitude), Number(longitude)] : null;
  // without tiles there is nothing to aim at, so the degrees are typed
  if (!tiles && !place) return;
  box.hidden = false;
  box.classList.toggle("map-plain", !tiles);
  L.Icon.Default.imagePath = images;
  const map = L.map(box, { zoomControl: Boolean(tiles), attributionControl: Boolean(attribution) });
  map.setView(place ?? SOMEWHERE, place ? NEAR : 6);
  if (tiles) L.tileLayer(tiles, { attribution, maxZoom: 19 }).addTo(map);
  else L.control.scale({ imperial: false }).addTo(map);
  const marker = place && L.marker(place, { title, alt: title, keyboard: false }).addTo(map);
  if (tiles && "canLocate" in box.dataset) map.on("click", (event) => choose(map, marker, event.latlng));
}

function choose(map, marker, latlng) {
  const place = latlng.wrap();
  fill("latitude", place.lat);
  fill("longitude", place.lng);
  if (marker) marker.setLatLng(place);
  else if (map.chosen) map.chosen.setLatLng(place);
  else map.chosen = L.marker(place, { keyboard: false }).addTo(map);
}

function fill(id, degrees) {
  /** @type {any} */
  const field = document.getElementById(id);
  field.value = degrees.toFixed(6);
}
