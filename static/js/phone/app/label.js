// The two values on an ONT's label while they are typed: the same as dispatch/scans.py.
// tests/data/typed_label_vectors.json runs against both.

import { FSAN, SERIAL_NUMBER, squeeze, turnHexFsan } from "../scan/values.js";
import { _, fill } from "./words.js";

const HEX = /^[0-9A-F]{0,16}$/;

export const fsanOf = (typed) => turnHexFsan(squeeze(typed));
export const serialOf = (typed) => typed.trim().toUpperCase();

// Why this is not an FSAN, character by character where that helps; "" when it is one.
export function fsanProblem(fsan) {
  if (FSAN.test(fsan)) return "";
  if (fsan.length !== 12) return fill(_("An FSAN has 12 characters; this has %(letters)s."), { letters: fsan.length });
  if (!/^\p{L}{4}/u.test(fsan)) {
    return fill(_("An FSAN begins with four letters; this begins with %(start)s."), { start: fsan.slice(0, 4) });
  }
  const wrong = [...new Set(fsan.slice(4).replace(/[0-9A-F]/g, ""))].join(" ");
  const hint = wrong.includes("O") ? ` ${_("Letter O is often digit 0.")}` : "";
  return fill(_("The last eight characters are 0 to 9 and A to F; %(wrong)s is neither."), { wrong }) + hint;
}

export function serialProblem(serial) {
  return SERIAL_NUMBER.test(serial) ? "" : _("Type the serial number from the label (S/N): 4 to 40 letters and digits.");
}

// While it is typed: what is wrong with the characters so far, nothing about those that are still to come.
export function wrongSoFar(typed) {
  const fsan = squeeze(typed);
  // sixteen digits may stand for it
  if (/^[0-9]/.test(fsan) && HEX.test(fsan)) return "";
  const places = [...fsan].flatMap((letter, at) => ((at < 4 ? /[A-Z]/ : /[0-9A-F]/).test(letter) ? [] : [{ letter, at: at + 1 }]));
  if (!places.length) return fsan.length > 12 ? fsanProblem(fsan) : "";
  const { letter, at } = places[0];
  const words = at <= 4 ? _("Character %(at)s is %(letter)s; the first four are letters.") : _("Character %(at)s is %(letter)s; from the fifth on they are 0 to 9 and A to F.");
  return fill(words, { at, letter }) + (letter === "O" && at > 4 ? ` ${_("Letter O is often digit 0.")}` : "");
}

// `CXNK 00AB CDEF`: read in fours, like on the label.
export const grouped = (fsan) => fsan.replace(/(.{4})(?=.)/g, "$1 ");
