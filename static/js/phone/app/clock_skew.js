// The server's time on a phone whose clock is wrong: what the server sends is due by the server's clock.

// Within what the server tolerates (engineers/clock_skew.py) and the way here.
const TOLERATED_MS = 90_000;

let ahead = 0;

// By how many milliseconds this phone's clock is ahead of the server's, negative when it is behind; 0 while it is right,
// and where the answer does not say.
/** @param {Pick<Response, "headers">} answer */
export function clockAhead({ headers }) {
  const difference = Date.now() - Date.parse(headers.get("Date") ?? "");
  return Math.abs(difference) > TOLERATED_MS ? difference : 0;
}

/** @param {number} [milliseconds] of the day that is shown */
export function setClockAhead(milliseconds = 0) {
  ahead = milliseconds;
}

// A moment of this phone's clock, now or another one, by the server's clock; both in milliseconds.
/** @param {number} [moment] */
export const serverTime = (moment = Date.now()) => moment - ahead;
