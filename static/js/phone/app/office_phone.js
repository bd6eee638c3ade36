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

/** @param {string} phone */
export const telUrl = (phone) => `tel:${phone.replace(/[^\d+]/g, "")}`;
export const hasOfficePhone = () => Boolean(number);
export const officeUrl = () => telUrl(number);
export const callOfficeText = () => fill(_("Call the office, %(phone)s"), { phone: withoutBreaks(number) });
/** @param {string} phone */
export const callDeskText = (phone) => fill(_("Call the order desk, %(phone)s"), { phone: withoutBreaks(phone) });

// "" where nobody has set the number.
export function callOfficeLink() {
  return number && h("a.phone-button", { href: officeUrl() }, icon("phone"), " ", callOfficeText());
}
