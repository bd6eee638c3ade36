// Dates and times for people, in the language of the page and the zone of the site.

import { _, language } from "./i18n.js";
import { dateOf, formatMoment, isMoment } from "./time_zone.js";

// What stands in the place of a moment that is none.
export const unknownTime = () => _("unknown time");

// "Mon 23 Nov" in the language of the page, with the year when it is not this one.
/** @param {Date} date @param {Date} [today] */
export function formatDay(date, today = new Date()) {
  if (!isMoment(date)) return unknownTime();
  /** @type {Intl.DateTimeFormatOptions} */
  const usual = { weekday: "short", day: "numeric", month: "short" };
  const isThisYear = dateOf(date).slice(0, 4) === dateOf(today).slice(0, 4);
  return formatMoment(date, language(), isThisYear ? usual : { ...usual, year: "numeric" });
}

// "09:12"
/** @param {Date} moment */
export const formatTime = (moment) => (isMoment(moment) ? formatMoment(moment, language(), { hour: "2-digit", minute: "2-digit" }) : unknownTime());
