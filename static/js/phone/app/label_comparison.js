// A label's values beside what is expected: which characters differ, and the picture of the label to compare them with.

import { h, icon } from "./dom.js";
import { FSAN } from "../scan/label_format.js";
import { bare, differences, differenceWords, doubtful, isAnotherDevice, isAsExpected, NAMES } from "./label_validation.js";
import { _ } from "./i18n.js";

// A notice with each value that differs, its characters marked; "" when both are as expected.
export function differing(values, expected) {
  const names = Object.keys(NAMES).filter((name) => values[name] && !isAsExpected(values[name], expected[name]));
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
      names.flatMap((name) => lines(name, values[name], expected[name])),
    ),
  );
}

function lines(name, value, expected) {
  const places = differences(value, expected).map(({ at }) => at);
  return [h("p", {}, marked(bare(value), places)), ...differenceWords(name, value, expected).map((words) => h("p", {}, words))];
}

// The value with the characters at these places (from 1) marked; an FSAN in fours, like on the label.
export function marked(value, places) {
  const isGrouped = FSAN.test(value);
  const letter = (one, at) => [isGrouped && at > 0 && at % 4 === 0 && " ", places.includes(at + 1) ? h("mark", {}, one) : one];
  return h("span.code", {}, [...value].flatMap(letter));
}

// After the seller refused the label's values: what differs from what is expected, else what is easily misread.
export function doubted(scan, expected, source) {
  const differs = differing(scan, expected);
  const names = Object.keys(NAMES).filter((name) => scan[name]);
  const line = (name) => h("p", {}, `${NAMES[name]()} `, marked(bare(scan[name]), doubtful(bare(scan[name]))));
  const alike = () => h("div.label-check", {}, names.map(line), h("p.hint", {}, _("The marked characters are easily misread. Compare them with the label.")));
  return h("section", { "aria-label": _("Check the label") }, picture(source), differs || alike());
}

// The label itself: what was photographed or an address of it; "" where there is none.
export function picture(source) {
  if (!source) return "";
  if (typeof source === "string") return h("img.label-picture", { src: source, alt: _("The label") });
  source.classList.add("label-picture");
  source.setAttribute("role", "img");
  source.setAttribute("aria-label", _("The label"));
  return source;
}
