// Shares the location while driving: rounded to about a kilometre, every five minutes, and only with consent
// (day.shares_position). It is rounded here, so an exact location never leaves the phone. Only while the page is open.

import * as queue from "./queue.js";
import { setValue, getValue } from "./database.js";
import { isSecond } from "./workflow.js";

const LOOK_MS = 60_000;
const EVERY_MS = 5 * 60_000;

// `dayNow` gives the day as it stands on this phone, or null.
/** @param {() => Pick<Day, "jobs" | "shares_position">} dayNow */
export function startLocationSharing(dayNow) {
  setInterval(() => shareIfDue(dayNow).catch(() => {}), LOOK_MS);
}

/** @param {() => Pick<Day, "jobs" | "shares_position">} dayNow */
async function shareIfDue(dayNow) {
  const day = await dayNow();
  const job = day?.shares_position && day.jobs.find((candidate) => candidate.state === "en_route" && !isSecond(candidate));
  if (!job || document.visibilityState !== "visible") return;
  if (Math.abs(Date.now() - ((await getValue("driving_at")) ?? 0)) < EVERY_MS) return;
  const { coords } = await getCurrentPosition();
  await setValue("driving_at", Date.now());
  await queue.add("driving", job.id, { position: { latitude: roundDegrees(coords.latitude), longitude: roundDegrees(coords.longitude) } });
}

/** @param {number} degrees */
const roundDegrees = (degrees) => Math.round(degrees * 100) / 100;

/** @returns {Promise<GeolocationPosition>} */
function getCurrentPosition() {
  return new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(resolve, reject, { maximumAge: LOOK_MS, timeout: 20_000 });
  });
}
