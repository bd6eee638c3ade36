// The phone's location, and whether this page may know it.

// no longer than somebody who has arrived would wait
const LONGEST_MS = 20_000;
const NO_FIX = "position_unavailable";
/** @type {Record<number, string | undefined>} */
const REASONS = { 1: "permission_refused", 2: NO_FIX, 3: "no_fix_in_time" };

// asked ahead, so that no message mentions a location that is not recorded
let isDenied = false;

export const isLocationDenied = () => isDenied;

// Calls `onChange()` whenever it changes; where the browser does not report that, positions show it.
/** @param {() => void} onChange */
export async function watchLocation(onChange) {
  const permission = await navigator.permissions?.query({ name: "geolocation" }).catch(() => null);
  if (!permission) return;
  const look = () => {
    isDenied = permission.state === "denied";
    onChange();
  };
  permission.addEventListener("change", look);
  look();
}

// What a receiver without a fix says.
/** @param {GeolocationCoordinates} coords */
const isNoFix = ({ latitude, longitude }) => latitude === 0 && longitude === 0;

/** @param {GeolocationCoordinates} coords @returns {Position} */
const positionOf = ({ latitude, longitude, accuracy }) => ({ latitude, longitude, accuracy_metres: Math.round(accuracy * 10) / 10 });

// Resolves always.
/** @returns {Promise<Position>} */
export function currentPosition() {
  if (!navigator.geolocation) return Promise.resolve({ missing_because: "not_supported" });
  return new Promise((resolve) => {
    /** @param {string} reason */
    const giveUp = (reason) => resolve({ missing_because: reason });
    // some browsers never call back when the question is left open
    setTimeout(giveUp, LONGEST_MS + 500, REASONS[3]);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(isNoFix(coords) ? { missing_because: NO_FIX } : positionOf(coords)),
      (error) => giveUp(REASONS[error.code] ?? "unknown"),
      { enableHighAccuracy: true, timeout: LONGEST_MS, maximumAge: 0 },
    );
  });
}
