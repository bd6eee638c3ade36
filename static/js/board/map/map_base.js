// What the maps share: configured tiles, or pins and a scale on plain ground when there are none.
import "../../../vendor/leaflet/leaflet.js";

export const { L } = globalThis;
// where a map without any place begins: the British Isles, wide enough to find any town
/** @type {[number, number]} */
export const SOMEWHERE = [54.5, -3];
export const SOMEWHERE_ZOOM = 6;

/** @param {MapBox} box @param {{ zoomControl: boolean }} options */
export function createMap(box, options) {
  const { tiles, attribution } = box.dataset;
  box.hidden = false;
  box.classList.toggle("map-plain", !tiles);
  const map = L.map(box, { zoomControl: false, attributionControl: Boolean(attribution) });
  if (options.zoomControl) L.control.zoom({ zoomInTitle: box.dataset.zoomIn, zoomOutTitle: box.dataset.zoomOut }).addTo(map);
  if (tiles) L.tileLayer(tiles, { attribution, maxZoom: 19 }).addTo(map);
  else L.control.scale({ imperial: false }).addTo(map);
  return map;
}

/** @param {string} name */
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
