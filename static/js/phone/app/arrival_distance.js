// What an engineer is told who says "on site" far from the premises, as phone/arrival_distance.py has it. Pure.

import { _, fill, formatNumber } from "./i18n.js";

// dispatch/driving/travel.py and travel_profile.py
const FAR_METRES = 500;
const EARTH_METRES = 6_371_009;

/** @param {number} degrees */
const radians = (degrees) => (degrees * Math.PI) / 180;

// Great-circle metres by the haversine formula.
/** @typedef {{ latitude: number, longitude: number }} Place */
/** @param {Place} start @param {Place} end */
function distanceMetres(start, end) {
  const [north, east] = [radians(end.latitude - start.latitude), radians(end.longitude - start.longitude)];
  const parallels = Math.cos(radians(start.latitude)) * Math.cos(radians(end.latitude));
  const haversine = Math.sin(north / 2) ** 2 + parallels * Math.sin(east / 2) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** @param {number} metres */
function formatDistance(metres) {
  if (metres < 1000) return `${Math.round(metres / 10) * 10} m`;
  return `${formatNumber(metres / 1000, metres < 10_000 ? 1 : 0)} km`;
}

// "" near the premises, and where either place is unknown. Nothing is refused for it: coordinates of premises are wrong,
// too.
/** @param {Pick<Job, "latitude" | "longitude">} job @param {Position} [position] */
export function farAwayText({ latitude, longitude }, position = { missing_because: "not_asked" }) {
  if (typeof latitude !== "number" || typeof longitude !== "number" || "missing_because" in position) return "";
  const metres = distanceMetres({ latitude, longitude }, position) - (position.accuracy_metres ?? 0);
  if (metres <= FAR_METRES) return "";
  const text = _("You tapped “I'm on site” %(distance)s from the premises. Check that this is the right job. If it is, continue.");
  return fill(text, { distance: formatDistance(metres) });
}
