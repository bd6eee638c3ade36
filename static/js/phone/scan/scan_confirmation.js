// What was read: both values beside the photo, for confirmation before they are sent.

import { h, icon } from "../app/dom.js";
import { isAsExpected } from "../app/label_validation.js";
import { differenceNotice, labelImage } from "../app/label_comparison.js";
import { _, fill } from "../app/i18n.js";

// the end is what tells two devices of one delivery apart
const TAIL = 4;

// `choose(name, value)` where the picture holds several; the page's large button takes the reading over.
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
    doubts(label).map((words) => h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, words))),
    differenceNotice({ fsan: label.fsan, serial_number: label.serial_number }, { fsan, serial_number: number }),
  ];
}

function headline({ fsan, serial_number: number, fsans, serial_numbers: numbers }) {
  if (fsan && number) return _("Check the label");
  if (fsans.length || numbers.length) return _("Not all of the label was read");
  return _("No label was read");
}

function value(name, text, more = "") {
  if (!text) return h("div", {}, h("dt", {}, name), h("dd", {}, _("not read")));
  const letters = h("span.code", {}, text.slice(0, -TAIL), h("b", {}, text.slice(-TAIL)));
  return h("div", {}, h("dt", {}, name), h("dd", {}, letters, more && ` ${more}`));
}

function choices(words, name, values, choose) {
  if (values.length < 2) return "";
  const one = (text) =>
    h("label.phone-check", {}, h("input", { type: "radio", name: `scan-${name}`, value: text, onchange: () => choose(name, text) }), " ", h("span.code", {}, text));
  return h("fieldset.scan-choices", {}, h("legend", {}, words), values.map(one));
}

function doubts({ fsan, unsure }) {
  const words = {
    no_fsan: _("No FSAN was found. Scan again, or type it below."),
    no_serial_number: _("No serial number was found. Scan again, or type it below."),
    several_fsans: _("More than one FSAN is in the picture. Choose, or cover the other label."),
    several_serial_numbers: _("More than one number could be the serial number. Choose the one beside S/N."),
    unknown_vendor: fill(_("%(letters)s is not a known manufacturer. Compare it with the label."), { letters: fsan.slice(0, 4) }),
  };
  return unsure.map((name) => words[name]);
}
