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

export const language = () => globalThis.document?.documentElement.lang ?? "en";

// `−21.5`, and in German `−21,5`; as many decimals as it has, or exactly so many.
/** @param {number} number @param {number} [decimals] */
export function formatNumber(number, decimals) {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  // no minus zero
  return (number || 0).toLocaleString(language(), digits).replace("-", "−");
}
