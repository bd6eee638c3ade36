// The phone's location, and whether this page may know it.

// never longer than the patience of somebody at a door
const LONGEST_MS = 20_000;
const REASONS = { 1: "permission refused", 2: "position unavailable", 3: "no fix in 20 s" };

// asked ahead, so that nobody is told of a position that is not taken
let isDenied = false;

export const isLocationDenied = () => isDenied;

// `heard()` whenever it changes; where the browser does not tell, positions say it themselves.
export async function watchLocation(heard) {
  const permission = await navigator.permissions?.query({ name: "geolocation" }).catch(() => null);
  if (!permission) return;
  const look = () => {
    isDenied = permission.state === "denied";
    heard();
  };
  permission.addEventListener("change", look);
  look();
}

// {latitude, longitude, accuracy_metres} or {missing_because}. Resolves always.
export function currentPosition() {
  if (!navigator.geolocation) return Promise.resolve({ missing_because: "not supported" });
  return new Promise((resolve) => {
    const giveUp = (reason) => resolve({ missing_because: reason });
    // some browsers never call back when the question is left open
    setTimeout(giveUp, LONGEST_MS + 500, REASONS[3]);
    navigator.geolocation.getCurrentPosition(
      ({ coords }) =>
        resolve({
          latitude: coords.latitude,
          longitude: coords.longitude,
          accuracy_metres: Math.round(coords.accuracy * 10) / 10,
        }),
      (error) => giveUp(REASONS[error.code] ?? "unknown"),
      { enableHighAccuracy: true, timeout: LONGEST_MS, maximumAge: 0 },
    );
  });
}
