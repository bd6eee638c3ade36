// Which of the codes on an ONT's label is the FSAN and which the serial number. Pure; dispatch/ont_label_parser.py does the same,
// by the vectors of tests/data/label_vectors.json. `file` is dispatch/data/vendors.json.

import { parseCode, UNLABELLED } from "./code_formats.js";
import { FSAN, SERIAL_NUMBER, removeSeparators, decodeHexFsan } from "./label_format.js";

const MAC = /^(?:(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}|(?=.*[A-F])[0-9A-F]{12})$/;

// Empty where nothing or several fit. `expected` (the job's own
// values) decides between several, no more.
/** @param {Iterable<string>} codes @param {VendorFile} file @param {string[]} [expected] @returns {ParsedLabel} */
export function parseLabel(codes, file, expected = []) {
  const parts = [...new Set(codes)].flatMap((code) => parseCode(code, file.words));
  const fsans = best(fsanScores(parts, file.vendors));
  const fsan = oneOf(fsans, expected);
  const vendor = file.vendors[fsan.slice(0, 4)];
  const numbers = best(serialNumberScores(parts, fsans, vendor?.serial_number));
  const number = oneOf(numbers, expected);
  const unsure = [...doubts("fsan", fsans, fsan), ...doubts("serial_number", numbers, number)];
  if (fsan && !vendor) unsure.push("unknown_vendor");
  return { fsan, serial_number: number, fsans, serial_numbers: numbers, unsure };
}

/** @param {"fsan" | "serial_number"} name @param {string[]} found @param {string} chosen @returns {LabelDoubt[]} */
function doubts(name, found, chosen) {
  if (chosen) return [];
  return [found.length ? `several_${name}s` : `no_${name}`];
}

/** @param {Map<string, number>} scores */
function best(scores) {
  const most = Math.max(0, ...scores.values());
  return [...scores].filter(([, score]) => score === most && score > 0).map(([value]) => value);
}

/** @param {string[]} found @param {string[]} expected */
function oneOf(found, expected) {
  if (found.length === 1) return found[0];
  return found.find((value) => expected.includes(value)) ?? "";
}

/** @param {Map<string, number>} scores @param {string} value @param {number} score */
function addScore(scores, value, score) {
  scores.set(value, Math.max(scores.get(value) ?? 0, score));
}

/** @param {CodePart[]} parts @param {VendorFile["vendors"]} vendors */
function fsanScores(parts, vendors) {
  const scores = new Map();
  for (const { kind, value } of parts) {
    const fsan = decodeHexFsan(removeSeparators(value));
    if (kind !== "other" && FSAN.test(fsan)) addScore(scores, fsan, fsanScore(kind, fsan, vendors));
  }
  return scores;
}

/** @param {string} kind @param {string} fsan @param {VendorFile["vendors"]} vendors */
function fsanScore(kind, fsan, vendors) {
  if (kind === "fsan") return 3;
  if (fsan.slice(0, 4) in vendors) return 2;
  // a MAC address may look like an FSAN of nobody's
  return MAC.test(fsan) ? 0 : 1;
}

/** @param {CodePart[]} parts @param {string[]} fsans @param {string} [pattern] */
function serialNumberScores(parts, fsans, pattern) {
  const scores = new Map();
  for (const part of parts) {
    const value = part.value.trim().toUpperCase();
    const isFsan = fsans.includes(decodeHexFsan(removeSeparators(value)));
    if (!["serial_number", UNLABELLED].includes(part.kind) || !SERIAL_NUMBER.test(value) || isFsan) continue;
    addScore(scores, value, serialNumberScore(part, value, pattern));
  }
  return scores;
}

/** @param {CodePart} part @param {string} value @param {string} [pattern] */
function serialNumberScore(part, value, pattern) {
  if (pattern && new RegExp(`^(?:${pattern})$`).test(value)) return 4;
  if (part.kind === "serial_number") return 3;
  const digits = value.replace(/[^0-9]/g, "").length;
  // without a keyword next to it: passwords, MAC addresses, article and model numbers are none
  if (digits < 4 || value.length < 6 || part.value !== value || MAC.test(value) || isGtin(value)) return 0;
  return digits >= 6 && !isArticle(value) ? 2 : 1;
}

/** @param {string} value */
const isGtin = (value) => value.length >= 13 && value.length <= 14 && isArticle(value);

// Twelve to fourteen digits with the right check digit; one serial number in ten has it by chance.
/** @param {string} value */
function isArticle(value) {
  if (!/^[0-9]{12,14}$/.test(value)) return false;
  const sum = [...value].reverse().reduce((so, digit, index) => so + Number(digit) * (index % 2 ? 3 : 1), 0);
  return sum % 10 === 0;
}
