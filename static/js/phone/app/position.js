// Where the phone is, or why it does not know; never longer than the patience of somebody at a door.

const LONGEST_MS = 20_000;
const REASONS = { 1: "permission refused", 2: "position unavailable", 3: "no fix in 20 s" };

// Resolves always. `skip` resolves it early: the step must never wait for a satellite.
export function currentPosition(skip) {
  if (!navigator.geolocation) return Promise.resolve({ missing_because: "not supported" });
  return new Promise((resolve) => {
    const giveUp = (reason) => resolve({ missing_because: reason });
    // some browsers never call back when the question is left open
    setTimeout(giveUp, LONGEST_MS + 500, REASONS[3]);
    skip?.addEventListener("click", () => giveUp("skipped by the engineer"), { once: true });
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
