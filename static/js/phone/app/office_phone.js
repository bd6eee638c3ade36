// The dispatch office's telephone number, as the day gives it: a link wherever somebody is to call there.

import { h, icon } from "./dom.js";
import { _, fill } from "./i18n.js";

let number = "";
// a number is read as one
const together = (phone) => phone.replaceAll(" ", "\u00a0");

export function hearOffice(phone = "") {
  number = phone;
}

export const telephone = (phone) => `tel:${phone.replace(/[^\d+]/g, "")}`;
export const hasOffice = () => Boolean(number);
export const officeUrl = () => telephone(number);
export const officeWords = () => fill(_("Call the office, %(phone)s"), { phone: together(number) });
export const deskWords = (phone) => fill(_("Call the order desk, %(phone)s"), { phone: together(phone) });

// "" where nobody has set the number.
export function callOffice() {
  return number && h("a.phone-button", { href: officeUrl() }, icon("phone"), " ", officeWords());
}
