// Validates the two values of an ONT's label while they are typed, as dispatch/ont_scans.py does.
// tests/data/typed_label_vectors.json runs against both.

import { FSAN, SERIAL_NUMBER, removeSeparators, decodeHexFsan } from "../scan/label_format.js";
import { _, fill } from "./i18n.js";

const HEX = /^[0-9A-F]{0,16}$/;

/** @param {string} typed */
export const normalizeFsan = (typed) => decodeHexFsan(removeSeparators(typed));
// Dashes belong to a serial number; blanks are only how a label groups it.
/** @param {string} typed */
export const normalizeSerial = (typed) => typed.replace(/\s/g, "").toUpperCase();

// Why this is not an FSAN, character by character where that helps; "" when it is one.
/** @param {string} fsan */
export function fsanProblem(fsan) {
  if (FSAN.test(fsan)) return "";
  // as the server counts them: an emoji is two units of a string here, and one character
  const { length } = [...fsan];
  if (length !== 12) return fill(_("An FSAN has 12 characters; this has %(length)s."), { length });
  if (!/^[A-Z]{4}/.test(fsan)) {
    return fill(_("An FSAN begins with four letters; this begins with %(start)s."), { start: [...fsan].slice(0, 4).join("") });
  }
  const wrong = [...new Set(fsan.slice(4).replace(/[0-9A-F]/g, ""))].join(" ");
  const hint = wrong.includes("O") ? ` ${_("Letter O is often digit 0.")}` : "";
  return fill(_("The last eight characters must be 0 to 9 or A to F; %(wrong)s is not."), { wrong }) + hint;
}

/** @param {string} serial */
export function serialProblem(serial) {
  if (SERIAL_NUMBER.test(serial)) return "";
  const wrong = [...new Set(serial.replace(/[A-Z0-9-]/g, ""))].join(" ");
  if (wrong) return fill(_("A serial number has only letters A to Z, digits and dashes; %(wrong)s is not."), { wrong });
  return _("Enter the serial number from the label (S/N): 4 to 40 letters and digits.");
}

// While it is typed: what is wrong with the characters so far, not with those that are still missing.
/** @param {string} typed */
export function partialFsanProblem(typed) {
  const fsan = removeSeparators(typed);
  // sixteen hexadecimal digits may be an encoded FSAN
  if (/^[0-9]/.test(fsan) && HEX.test(fsan)) return "";
  const wrong = [...fsan].flatMap((character, at) => ((at < 4 ? /[A-Z]/ : /[0-9A-F]/).test(character) ? [] : [{ character, at: at + 1 }]));
  if (!wrong.length) return fsan.length > 12 ? fsanProblem(fsan) : "";
  const { character, at } = wrong[0];
  const text = at <= 4 ? _("Character %(at)s is %(character)s; the first four are letters.") : _("Character %(at)s is %(character)s; from the fifth on they are 0 to 9 and A to F.");
  return fill(text, { at, character }) + (character === "O" && at > 4 ? ` ${_("Letter O is often digit 0.")}` : "");
}

// `CXNK 00AB CDEF`: read in fours, like on the label.
/** @param {string} fsan */
export const groupFsan = (fsan) => fsan.replace(/(.{4})(?=.)/g, "$1 ");

// --- compared with what the seller expects ---

// more differences than these are another device, not a typing error
const MOST_TYPING_ERRORS = 3;

export const VALUE_NAMES = { fsan: () => _("FSAN"), serial_number: () => _("Serial number") };
/** @param {string} value */
export const normalizeValue = (value) => decodeHexFsan(removeSeparators(value));

// Where two values differ, by character: [{at, is, expected}], `at` from 1, "" for a character too few. None expected, none differ.
/** @param {string} value @param {string | undefined} expected */
export function listDifferences(value, expected) {
  const [is, wanted] = [normalizeValue(value), normalizeValue(expected ?? "")];
  if (!wanted) return [];
  const all = Array.from({ length: Math.max(is.length, wanted.length) }, (_nothing, at) => ({ at: at + 1, is: is[at] ?? "", expected: wanted[at] ?? "" }));
  return all.filter((character) => character.is !== character.expected);
}

/** @param {string} value @param {string | undefined} expected */
export const isAsExpected = (value, expected) => listDifferences(value, expected).length === 0;

/** @param {string} value @param {string} expected */
export function isAnotherDevice(value, expected) {
  return normalizeValue(value).length !== normalizeValue(expected).length || listDifferences(value, expected).length > MOST_TYPING_ERRORS;
}

// Whether the values that are typed can be of the device whose label was read: by the FSAN, or else by the serial number.
/** @param {OntValues} read @param {OntValues} typed */
export function isSameDevice(read, typed) {
  const name = read.fsan ? "fsan" : "serial_number";
  return !isAnotherDevice(typed[name], read[name]);
}

// One sentence for each character that differs, or one for another device.
/** @param {keyof OntValues} name @param {string} value @param {string} expected */
export function describeDifferences(name, value, expected) {
  const parameters = { name: VALUE_NAMES[name](), whole: normalizeValue(expected) };
  if (isAnotherDevice(value, expected)) return [fill(_("%(name)s: expected %(whole)s."), parameters)];
  return listDifferences(value, expected).map((difference) => fill(_("%(name)s: character %(at)s is %(is)s, expected %(expected)s."), { ...parameters, ...difference }));
}

// Positions (from 1) of characters that are easily confused and would be valid there.
/** @param {string} value */
export function ambiguousCharacters(value) {
  const alike = FSAN.test(value) ? /[0D8B]/ : /[0ODQ1IL2Z5S8B]/;
  const first = FSAN.test(value) ? 5 : 1;
  return [...value].map((character, at) => (at + 1 >= first && alike.test(character) ? at + 1 : 0)).filter(Boolean);
}
