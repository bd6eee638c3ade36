// The site's zone, in which the server writes dates and times for people: a phone that is set to another zone displays no
// second one, and its day ends with the site's.

const HOUR_MS = 3_600_000;

let dates = createFormat();

// Of the day that is displayed; one that an earlier version stored names none: then it is this phone's own.
/** @param {string} [zone] */
export function setTimeZone(zone) {
  dates = createFormat(zone);
}

// For people.
/** @param {Date} moment @param {string} language @param {Intl.DateTimeFormatOptions} options */
export function formatMoment(moment, language, options) {
  return moment.toLocaleString(language, { ...options, timeZone: dates.resolvedOptions().timeZone });
}

// Whether it is a moment at all: what an earlier version or another program stored on this phone may be any text.
/** @param {Date} moment */
export const isMoment = (moment) => !Number.isNaN(moment.getTime());

// `2026-11-23`; empty, which is before every date, where it is no moment.
/** @param {Date} moment */
export function dateOf(moment) {
  if (!isMoment(moment)) return "";
  const { year, month, day } = Object.fromEntries(dates.formatToParts(moment).map(({ type, value }) => [type, value]));
  return `${year}-${month}-${day}`;
}

// A moment of the date after that one, which comes in 25 hours at most.
/** @param {Date} moment */
export function nextDate(moment) {
  const next = new Date(moment);
  if (!isMoment(next)) return next;
  while (dateOf(next) === dateOf(moment)) next.setTime(next.getTime() + HOUR_MS);
  return next;
}

/** @param {string} [timeZone] */
function createFormat(timeZone) {
  /** @type {Intl.DateTimeFormatOptions} */
  const date = { year: "numeric", month: "2-digit", day: "2-digit" };
  try {
    return new Intl.DateTimeFormat("en-GB", { ...date, timeZone });
  } catch {
    // this browser does not know the zone
    return new Intl.DateTimeFormat("en-GB", date);
  }
}
