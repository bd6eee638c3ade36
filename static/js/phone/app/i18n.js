// Translation of texts. Django's catalogue (/phone/words.js) puts gettext into the page; without it texts are English.

/** @param {string} text @returns {string} */
export const _ = (text) => globalThis.gettext?.(text) ?? text;

/** @param {string} text @param {object} values */
export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_whole, name) => /** @type {Record<string, string>} */ (values)[name]);
}

/** @param {string} singular @param {string} many @param {number} number @param {object} [more] */
export function plural(singular, many, number, more = {}) {
  const text = globalThis.ngettext?.(singular, many, number) ?? (number === 1 ? singular : many);
  return fill(text, { number, ...more });
}

// "Mon 23 Nov" in the language of the page, with the year when it is not this one.
/** @param {Date} date @param {Date} [today] */
export function formatDay(date, today = new Date()) {
  /** @type {Intl.DateTimeFormatOptions} */
  const usual = { weekday: "short", day: "numeric", month: "short" };
  const isThisYear = date.getFullYear() === today.getFullYear();
  return date.toLocaleDateString(document.documentElement.lang, isThisYear ? usual : { ...usual, year: "numeric" });
}
