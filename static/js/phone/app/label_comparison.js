// Compares a label's values with the expected ones: which characters differ, next to the photo of the label.

import { h, icon } from "./dom.js";
import { FSAN } from "../scan/label_format.js";
import { normalizeValue, listDifferences, describeDifferences, ambiguousCharacters, isAnotherDevice, isAsExpected, VALUE_NAMES } from "./label_validation.js";
import { _ } from "./i18n.js";

// A notice with each value that differs, its characters marked; "" when both are as expected.
/** @param {OntValues} values @param {OntValues} expected @param {{ isRejected?: boolean }} [options] */
export function differenceNotice(values, expected, { isRejected = false } = {}) {
  const names = /** @type {(keyof OntValues)[]} */ (Object.keys(VALUE_NAMES)).filter((name) => values[name] && !isAsExpected(values[name], expected[name]));
  if (!names.length) return "";
  const isAnother = names.includes("fsan") && isAnotherDevice(values.fsan, expected.fsan);
  return h(
    "div.notice.notice-warning.label-check",
    { "data-differs": true },
    icon("warning"),
    h(
      "div",
      {},
      isAnother && h("p", {}, isRejected ? _("This is not the expected ONT.") : _("This is not the expected ONT. You may use it; the seller decides.")),
      names.flatMap((name) => differenceLines(name, values[name], expected[name])),
    ),
  );
}

/** @param {keyof OntValues} name @param {string} value @param {string} expected */
function differenceLines(name, value, expected) {
  const positions = listDifferences(value, expected).map(({ at }) => at);
  return [h("p", {}, markCharacters(normalizeValue(value), positions)), ...describeDifferences(name, value, expected).map((difference) => h("p", {}, difference))];
}

// The value with the characters at these places (from 1) marked; an FSAN in fours, like on the label.
/** @param {string} value @param {number[]} positions */
export function markCharacters(value, positions) {
  const isGrouped = FSAN.test(value);
  /** @param {string} character @param {number} at */
  const markedCharacter = (character, at) => [isGrouped && at > 0 && at % 4 === 0 && " ", positions.includes(at + 1) ? h("mark", {}, character) : character];
  return h("span.code", {}, [...value].flatMap(markedCharacter));
}

// After the seller refused the label's values: what differs from what is expected, else what is easily misread.
/** @param {OntValues} scan @param {OntValues} expected @param {string} source */
export function rejectedLabelNotice(scan, expected, source) {
  const differs = differenceNotice(scan, expected, { isRejected: true });
  const names = /** @type {(keyof OntValues)[]} */ (Object.keys(VALUE_NAMES)).filter((name) => scan[name]);
  /** @param {keyof OntValues} name */
  const line = (name) => h("p", {}, `${VALUE_NAMES[name]()} `, markCharacters(normalizeValue(scan[name]), ambiguousCharacters(normalizeValue(scan[name]))));
  const alike = () => h("div.label-check", {}, names.map(line), h("p.hint", {}, _("The marked characters are easily misread. Compare them with the label.")));
  return h("section", { "aria-label": _("Check the label") }, labelImage(source), differs || alike());
}

// The label itself: what was photographed or an address of it; "" where there is none.
/** @param {HTMLElement | string | null} source */
export function labelImage(source) {
  if (!source) return "";
  if (typeof source === "string") return h("img.label-picture", { src: source, alt: _("The label") });
  source.classList.add("label-picture");
  source.setAttribute("role", "img");
  source.setAttribute("aria-label", _("The label"));
  return source;
}
