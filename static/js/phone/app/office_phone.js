// The dispatch office's telephone number, as the day gives it, and links to call it.

import { h, icon } from "./dom.js";
import { _, fill } from "./i18n.js";

let number = "";
// a number is read as one
/** @param {string} phone */
const withoutBreaks = (phone) => phone.replaceAll(" ", "\u00a0");

export function setOfficePhone(phone = "") {
  number = phone;
}

// As engineers/phone_urls.py: the first number, without its extension. tests/data/phone_number_vectors.json holds both.
const TRUNK_ZERO = /^(\s*(?:\+|00)[\d\s.-]*)\(0\)/;
const SEPARATORS = /[^\d+\s.\-–]+/;
const WHOLE_NUMBER = 9;

/** @param {string} phone */
export function telUrl(phone) {
  let dialled = "";
  for (const part of phone.replace(TRUNK_ZERO, "$1").split(SEPARATORS)) {
    dialled += part.replace(/[^\d+]/g, "");
    if (dialled.length >= WHOLE_NUMBER) break;
  }
  return `tel:${dialled}`;
}

export const hasOfficePhone = () => Boolean(number);
export const officeUrl = () => telUrl(number);
export const callOfficeText = () => fill(_("Call the office, %(phone)s"), { phone: withoutBreaks(number) });
/** @param {string} phone */
export const callDeskText = (phone) => fill(_("Call the order desk, %(phone)s"), { phone: withoutBreaks(phone) });

// "" where nobody has set the number.
export function callOfficeLink() {
  return number && h("a.phone-button", { href: officeUrl() }, icon("phone"), " ", callOfficeText());
}
