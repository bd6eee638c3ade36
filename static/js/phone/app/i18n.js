// Translation of texts. Django's catalogue (/phone/words.js) puts gettext into the page; without it texts are English.

export const _ = (text) => globalThis.gettext?.(text) ?? text;

export function fill(text, values) {
  return text.replace(/%\((\w+)\)s/g, (_whole, name) => values[name]);
}

export function plural(one, many, number, more = {}) {
  const text = globalThis.ngettext?.(one, many, number) ?? (number === 1 ? one : many);
  return fill(text, { number, ...more });
}

// "Mon 23 Nov" in the language of the page.
export function formatDay(date) {
  return date.toLocaleDateString(document.documentElement.lang, { weekday: "short", day: "numeric", month: "short" });
}
