// What was read: both values next to the photo, for confirmation before they are sent.

import { h, icon } from "../app/dom.js";
import { isAsExpected } from "../app/label_validation.js";
import { differenceNotice, labelImage } from "../app/label_comparison.js";
import { _, fill } from "../app/i18n.js";

// the end distinguishes two devices of one delivery
const TAIL = 4;

// `choose(name, value)` where the picture holds several; the page's large button takes the reading over.
/** @param {{ label: ParsedLabel, canvas: HTMLCanvasElement | null, vendors: VendorFile["vendors"], expected: ExpectedValues }} found @param {(name: keyof OntValues, value: string) => void} choose */
export function scanConfirmation({ label, canvas, vendors, expected: [fsan, number] }, choose) {
  const wrongFsan = label.fsan && !isAsExpected(label.fsan, fsan);
  const wrongNumber = label.serial_number && !isAsExpected(label.serial_number, number);
  return [
    h("h2", { tabindex: "-1", "data-scan-read": true }, headline(label)),
    (wrongFsan || wrongNumber) && labelImage(canvas),
    h(
      "dl.phone-facts.scan-values",
      {},
      value(_("FSAN"), label.fsan, vendors[label.fsan.slice(0, 4)]?.name ?? ""),
      value(_("Serial number"), label.serial_number),
    ),
    choices(_("Which is the FSAN?"), "fsan", label.fsan ? [] : label.fsans, choose),
    choices(_("Which is the serial number?"), "serial_number", label.serial_number ? [] : label.serial_numbers, choose),
    doubts(label).map((doubt) => h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, doubt))),
    differenceNotice({ fsan: label.fsan, serial_number: label.serial_number }, { fsan, serial_number: number }),
  ];
}

/** @param {ParsedLabel} label */
function headline({ fsan, serial_number: number, fsans, serial_numbers: numbers }) {
  if (fsan && number) return _("Check the label");
  if (fsans.length || numbers.length) return _("Not all of the label was read");
  return _("No label was read");
}

/** @param {string} name @param {string} text @param {string} [more] */
function value(name, text, more = "") {
  if (!text) return h("div", {}, h("dt", {}, name), h("dd", {}, _("not read")));
  const code = h("span.code", {}, text.slice(0, -TAIL), h("b", {}, text.slice(-TAIL)));
  return h("div", {}, h("dt", {}, name), h("dd", {}, code, more && ` ${more}`));
}

/** @param {string} title @param {keyof OntValues} name @param {string[]} values @param {(name: keyof OntValues, value: string) => void} choose */
function choices(title, name, values, choose) {
  if (values.length < 2) return "";
  /** @param {string} text */
  const option = (text) =>
    h("label.phone-check", {}, h("input", { type: "radio", name: `scan-${name}`, value: text, onchange: () => choose(name, text) }), " ", h("span.code", {}, text));
  return h("fieldset.scan-choices", {}, h("legend", {}, title), values.map(option));
}

/** @param {ParsedLabel} label */
function doubts({ fsan, unsure }) {
  const titles = {
    no_fsan: _("No FSAN was found. Scan again, or type it below."),
    no_serial_number: _("No serial number was found. Scan again, or type it below."),
    several_fsans: _("More than one FSAN is in the picture. Choose, or cover the other label."),
    several_serial_numbers: _("More than one number could be the serial number. Choose the one beside S/N."),
    unknown_vendor: fill(_("%(letters)s is not a known manufacturer. Compare it with the label."), { letters: fsan.slice(0, 4) }),
  };
  return unsure.map((name) => titles[name]);
}
