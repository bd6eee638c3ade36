// Compares a label's values with the expected ones: which characters differ, beside the photo of the label.

import { h, icon } from "./dom.js";
import { FSAN } from "../scan/label_format.js";
import { normalizeValue, listDifferences, describeDifferences, ambiguousCharacters, isAnotherDevice, isAsExpected, VALUE_NAMES } from "./label_validation.js";
import { _ } from "./i18n.js";

// A notice with each value that differs, its characters marked; "" when both are as expected.
export function differenceNotice(values, expected) {
  const names = Object.keys(VALUE_NAMES).filter((name) => values[name] && !isAsExpected(values[name], expected[name]));
  if (!names.length) return "";
  const isAnother = names.includes("fsan") && isAnotherDevice(values.fsan, expected.fsan);
  return h(
    "div.notice.notice-warning.label-check",
    { "data-differs": true },
    icon("warning"),
    h(
      "div",
      {},
      isAnother && h("p", {}, _("This is not the expected ONT. You may use it; the seller decides.")),
      names.flatMap((name) => differenceLines(name, values[name], expected[name])),
    ),
  );
}

function differenceLines(name, value, expected) {
  const places = listDifferences(value, expected).map(({ at }) => at);
  return [h("p", {}, markCharacters(normalizeValue(value), places)), ...describeDifferences(name, value, expected).map((words) => h("p", {}, words))];
}

// The value with the characters at these places (from 1) marked; an FSAN in fours, like on the label.
export function markCharacters(value, places) {
  const isGrouped = FSAN.test(value);
  const letter = (one, at) => [isGrouped && at > 0 && at % 4 === 0 && " ", places.includes(at + 1) ? h("mark", {}, one) : one];
  return h("span.code", {}, [...value].flatMap(letter));
}

// After the seller refused the label's values: what differs from what is expected, else what is easily misread.
export function rejectedLabelNotice(scan, expected, source) {
  const differs = differenceNotice(scan, expected);
  const names = Object.keys(VALUE_NAMES).filter((name) => scan[name]);
  const line = (name) => h("p", {}, `${VALUE_NAMES[name]()} `, markCharacters(normalizeValue(scan[name]), ambiguousCharacters(normalizeValue(scan[name]))));
  const alike = () => h("div.label-check", {}, names.map(line), h("p.hint", {}, _("The marked characters are easily misread. Compare them with the label.")));
  return h("section", { "aria-label": _("Check the label") }, labelImage(source), differs || alike());
}

// The label itself: what was photographed or an address of it; "" where there is none.
export function labelImage(source) {
  if (!source) return "";
  if (typeof source === "string") return h("img.label-picture", { src: source, alt: _("The label") });
  source.classList.add("label-picture");
  source.setAttribute("role", "img");
  source.setAttribute("aria-label", _("The label"));
  return source;
}
