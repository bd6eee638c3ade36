// The two values on a label, as dispatch/ont_scans.py reads them.

export const FSAN = /^[A-Z]{4}[0-9A-F]{8}$/;
export const SERIAL_NUMBER = /^[A-Z0-9-]{4,40}$/;

// Upper case without the blanks, dashes and colons that people and labels put in between.
/** @param {string} text */
export const removeSeparators = (text) => text.replace(/[\s:-]/g, "").toUpperCase();

// `43584E4B12345678` is CXNK12345678 with its four letters written as ASCII codes; else unchanged.
/** @param {string} text */
export function decodeHexFsan(text) {
  if (!/^[0-9A-F]{16}$/.test(text)) return text;
  const manufacturer = text.slice(0, 8).replace(/../g, (pair) => String.fromCharCode(parseInt(pair, 16)));
  return /^[A-Z]{4}$/.test(manufacturer) ? manufacturer + text.slice(8) : text;
}
