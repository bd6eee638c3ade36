// What was read, in words and with both values, before it goes anywhere.

import { h, icon } from "../app/dom.js";
import { _, fill } from "../app/words.js";

// the end is what tells two devices of one delivery apart
const TAIL = 4;

// `use({fsan, serial_number})` and `again()` are its two buttons.
export function saidBack({ label, vendors, expected }, { use, again }) {
  const values = { fsan: label.fsan, serial_number: label.serial_number };
  const choose = (name) => (value) => {
    values[name] = value;
  };
  return [
    h("h2", { tabindex: "-1", "data-scan-said": true }, headline(label)),
    h(
      "dl.phone-facts.scan-values",
      {},
      value(_("FSAN"), label.fsan, vendors[label.fsan.slice(0, 4)]?.name ?? ""),
      value(_("Serial number"), label.serial_number),
    ),
    choices(_("Which is the FSAN?"), "fsan", label.fsan ? [] : label.fsans, choose("fsan")),
    choices(_("Which is the serial number?"), "serial_number", label.serial_number ? [] : label.serial_numbers, choose("serial_number")),
    doubts(label, expected).map((words) => h("p.notice.notice-warning", {}, icon("warning"), " ", h("span", {}, words))),
    h("button.phone-button.scan-use", { type: "button", onclick: () => use(values) }, icon("check"), " ", _("Use it")),
    h("button.phone-button", { type: "button", onclick: again }, icon("scan"), " ", _("Scan again")),
  ];
}

function headline({ fsan, serial_number: number, fsans, serial_numbers: numbers }) {
  if (fsan && number) return _("Is this what the label says?");
  if (fsans.length || numbers.length) return _("Not all of the label was read");
  return _("No label was read");
}

function value(name, text, more = "") {
  if (!text) return h("div", {}, h("dt", {}, name), h("dd", {}, _("not read")));
  const letters = h("span.code", {}, text.slice(0, -TAIL), h("b", {}, text.slice(-TAIL)));
  return h("div", {}, h("dt", {}, name), h("dd", {}, letters, more && ` ${more}`));
}

function choices(words, name, values, onchoice) {
  if (values.length < 2) return "";
  const one = (text) =>
    h("label.phone-check", {}, h("input", { type: "radio", name: `scan-${name}`, value: text, onchange: () => onchoice(text) }), " ", h("span.code", {}, text));
  return h("fieldset.scan-choices", {}, h("legend", {}, words), values.map(one));
}

function doubts({ fsan, unsure }, [expected]) {
  const words = {
    no_fsan: _("No FSAN was found. Scan again, or type it below."),
    no_serial_number: _("No serial number was found. Scan again, or type it below."),
    several_fsans: _("More than one FSAN is in the picture. Choose, or cover the other label."),
    several_serial_numbers: _("More than one number could be the serial number. Choose the one beside S/N."),
    unknown_vendor: fill(_("The letters %(letters)s are of no maker that we know. Compare them with the label."), { letters: fsan.slice(0, 4) }),
  };
  const found = unsure.map((name) => words[name]);
  if (expected && fsan && fsan !== expected) found.push(_("This is not the expected ONT. You may use it; the seller decides."));
  return found;
}
