// Parses one code into its parts, whichever of the usual formats it has: {kind, value} with the kind that its label
// calls it, "fsan", "serial_number", "other", or nothing. The other half of dispatch/ont_label_parser.py.

import { FSAN, removeSeparators, decodeHexFsan } from "./label_format.js";

export const UNLABELLED = "";
// an FSAN as hex digits in pairs has eight
const MOST_GROUPS = 8;
const GS1_SPELT = /\((\d{2,4})\)([^(]*)/g;
const GS1_SERIAL_NUMBER =
  /^(?:\](?:C1|d2|Q3))?\x1d?01\d{14}(?:1[1357]\d{6}|(?:10|24[01])[^\x1d]+\x1d)*21([^\x1d]+)/;
// ISO/IEC 15434, format 06: fields with the data identifiers of ANSI MH10
const ENVELOPE = "[)>";
const CONTROL_PICTURES = { "␝": "\x1d", "␞": "\x1e", "␄": "\x04" };

const part = (kind, value) => ({ kind, value });

export function parseCode(text, words) {
  const code = text.replace(/[␝␞␄]/g, (sign) => CONTROL_PICTURES[sign]).replace(/^[ \r\n\t\x04]+|[ \r\n\t\x04]+$/g, "");
  if (/^WIFI:/i.test(code)) return [];
  if (code.startsWith("{")) return jsonParts(code, words);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(code)) return addressParts(code, words);
  if (code.startsWith(ENVELOPE)) return envelopeParts(code);
  if (/^\(\d{2,4}\)/.test(code)) return [...code.matchAll(GS1_SPELT)].map(([, key, value]) => gs1Part(key, value));
  const found = GS1_SERIAL_NUMBER.exec(code);
  return found ? [part("serial_number", found[1])] : writtenParts(code, words);
}

function gs1Part(key, value) {
  return part(key === "21" ? "serial_number" : "other", value.replace(/^[\x1d ]+|[\x1d ]+$/g, ""));
}

function kindOf(word, words) {
  const bare = word.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const kinds = Object.keys(words).filter((kind) => words[kind].some((one) => one.replaceAll(" ", "") === bare));
  return kinds[0] ?? "other";
}

function jsonParts(code, words) {
  let whole;
  try {
    whole = JSON.parse(code);
  } catch {
    return writtenParts(code.replace(/[{}"]/g, " "), words);
  }
  return pairs(whole, words);
}

function pairs(whole, words) {
  return Object.entries(whole).flatMap(([word, value]) => {
    if (typeof value === "string" || Number.isInteger(value)) return [part(kindOf(word, words), String(value))];
    return value && typeof value === "object" && !Array.isArray(value) ? pairs(value, words) : [];
  });
}

// Its questions by their names; of its path an FSAN only.
function addressParts(code, words) {
  let address;
  try {
    address = new URL(code);
  } catch {
    return [];
  }
  const asked = [...address.searchParams].filter(([, value]) => value);
  const inPath = address.pathname.split("/").filter((piece) => FSAN.test(decodeHexFsan(removeSeparators(piece))));
  return [...asked.map(([word, value]) => part(kindOf(word, words), value)), ...inPath.map((piece) => part(UNLABELLED, piece))];
}

function envelopeParts(code) {
  return code
    .split(/[\x1d\x1e\x04]/)
    .slice(2)
    .flatMap((field) => {
      if (FSAN.test(field)) return [part(UNLABELLED, field)];
      if (/^S./.test(field)) return [part("serial_number", field.slice(1))];
      return /^\d*[A-Z]/.test(field) ? [] : [part(UNLABELLED, field)];
    });
}

// `S/N`, `s.n.`, `Serial No.:` are SN and SERIAL NO; the longest word wins.
function wordPattern(words) {
  const every = Object.values(words).flat();
  every.sort((one, other) => other.length - one.length);
  const spelt = every.map((word) => [...word.replaceAll(" ", "")].join("[ ._/-]*")).join("|");
  // no look-behind: iOS has it from 16.4 only
  return new RegExp(`(^|[^A-Z0-9])(${spelt})(?![A-Z0-9])`, "gi");
}

// `S/N: 2612…, FSAN CXNK…`: each word with what stands after it; what stands before is plain.
function writtenParts(code, words) {
  const found = [...code.matchAll(wordPattern(words))];
  const starts = [...found.map((word) => word.index + word[1].length), code.length];
  const before = valuesIn(code.slice(0, starts[0])).map((value) => part(UNLABELLED, value));
  const named = found.flatMap((word, number) => {
    const said = code.slice(starts[number] + word[2].length, starts[number + 1]).replace(/^[ .#)]*[:=]? */, "");
    const [first = "", ...more] = valuesIn(said);
    const others = more.filter((value) => FSAN.test(value)).map((value) => part(UNLABELLED, value));
    return [part(kindOf(word[2], words), first), ...others];
  });
  return [...before, ...named];
}

// The tokens of a text; an FSAN in groups (`CXNK 00AB CDEF`) is one.
function valuesIn(text) {
  const tokens = text.split(/[\s,;|&=\x1d\x1e]+/).filter(Boolean);
  for (let number = Math.min(tokens.length, MOST_GROUPS); number > 1; number -= 1) {
    const joined = decodeHexFsan(removeSeparators(tokens.slice(0, number).join("")));
    if (FSAN.test(joined)) return [joined, ...tokens.slice(number)];
  }
  return tokens;
}
