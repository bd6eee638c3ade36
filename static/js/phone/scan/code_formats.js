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
/** @type {Record<string, string>} */
const CONTROL_PICTURES = { "␝": "\x1d", "␞": "\x1e", "␄": "\x04" };

/** @param {CodePart["kind"]} kind @param {string} value @returns {CodePart} */
const part = (kind, value) => ({ kind, value });

/** @param {string} text @param {VendorFile["words"]} keywords @returns {CodePart[]} */
export function parseCode(text, keywords) {
  const code = text.replace(/[␝␞␄]/g, (sign) => CONTROL_PICTURES[sign]).replace(/^[ \r\n\t\x04]+|[ \r\n\t\x04]+$/g, "");
  if (/^WIFI:/i.test(code)) return [];
  if (code.startsWith("{")) return jsonParts(code, keywords);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(code)) return addressParts(code, keywords);
  if (code.startsWith(ENVELOPE)) return envelopeParts(code);
  if (/^\(\d{2,4}\)/.test(code)) return [...code.matchAll(GS1_SPELT)].map(([, key, value]) => gs1Part(key, value));
  const found = GS1_SERIAL_NUMBER.exec(code);
  return found ? [part("serial_number", found[1])] : writtenParts(code, keywords);
}

/** @param {string} key @param {string} value */
function gs1Part(key, value) {
  return part(key === "21" ? "serial_number" : "other", value.replace(/^[\x1d ]+|[\x1d ]+$/g, ""));
}

/** @param {string} keyword @param {VendorFile["words"]} keywords @returns {CodePart["kind"]} */
function kindOf(keyword, keywords) {
  const bare = keyword.toUpperCase().replace(/[^A-Z0-9]/g, "");
  const kinds = /** @type {CodePart["kind"][]} */ (Object.keys(keywords)).filter((kind) => keywords[kind].some((known) => known.replaceAll(" ", "") === bare));
  return kinds[0] ?? "other";
}

/** @param {string} code @param {VendorFile["words"]} keywords @returns {CodePart[]} */
function jsonParts(code, keywords) {
  let whole;
  try {
    whole = JSON.parse(code);
  } catch {
    return writtenParts(code.replace(/[{}"]/g, " "), keywords);
  }
  return pairs(whole, keywords);
}

/** @param {object} whole @param {VendorFile["words"]} keywords @returns {CodePart[]} */
function pairs(whole, keywords) {
  return Object.entries(whole).flatMap(([keyword, value]) => {
    if (typeof value === "string" || Number.isInteger(value)) return [part(kindOf(keyword, keywords), String(value))];
    return value && typeof value === "object" && !Array.isArray(value) ? pairs(value, keywords) : [];
  });
}

// Its questions by their names; of its path an FSAN only.
/** @param {string} code @param {VendorFile["words"]} keywords */
function addressParts(code, keywords) {
  let address;
  try {
    address = new URL(code);
  } catch {
    return [];
  }
  const asked = [...address.searchParams].filter(([, value]) => value);
  const inPath = address.pathname.split("/").filter((piece) => FSAN.test(decodeHexFsan(removeSeparators(piece))));
  return [...asked.map(([keyword, value]) => part(kindOf(keyword, keywords), value)), ...inPath.map((piece) => part(UNLABELLED, piece))];
}

/** @param {string} code */
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

// `S/N`, `s.n.`, `Serial No.:` are SN and SERIAL NO; the longest keyword wins.
/** @param {VendorFile["words"]} keywords */
function wordPattern(keywords) {
  const every = Object.values(keywords).flat();
  every.sort((left, other) => other.length - left.length);
  const spelt = every.map((keyword) => [...keyword.replaceAll(" ", "")].join("[ ._/-]*")).join("|");
  // no look-behind: iOS has it from 16.4 only
  return new RegExp(`(^|[^A-Z0-9])(${spelt})(?![A-Z0-9])`, "gi");
}

// `S/N: 2612…, FSAN CXNK…`: each keyword with the text after it; the text before it is unlabelled.
/** @param {string} code @param {VendorFile["words"]} keywords */
function writtenParts(code, keywords) {
  const found = [...code.matchAll(wordPattern(keywords))];
  const starts = [...found.map((match) => match.index + match[1].length), code.length];
  const before = valuesIn(code.slice(0, starts[0])).map((value) => part(UNLABELLED, value));
  const named = found.flatMap((match, number) => {
    const content = code.slice(starts[number] + match[2].length, starts[number + 1]).replace(/^[ .#)]*[:=]? */, "");
    const [first = "", ...more] = valuesIn(content);
    const others = more.filter((value) => FSAN.test(value)).map((value) => part(UNLABELLED, value));
    return [part(kindOf(match[2], keywords), first), ...others];
  });
  return [...before, ...named];
}

// The tokens of a text; an FSAN in groups (`CXNK 00AB CDEF`) is one.
/** @param {string} text */
function valuesIn(text) {
  const tokens = text.split(/[\s,;|&=\x1d\x1e]+/).filter(Boolean);
  for (let number = Math.min(tokens.length, MOST_GROUPS); number > 1; number -= 1) {
    const joined = decodeHexFsan(removeSeparators(tokens.slice(0, number).join("")));
    if (FSAN.test(joined)) return [joined, ...tokens.slice(number)];
  }
  return tokens;
}
