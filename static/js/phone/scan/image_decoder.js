// From an image's pixels to the codes in it: zxing and the decode attempts together, the same in the worker and on the
// page.

import { loadReader } from "./zxing.js";
import { toGreyscale } from "./greyscale.js";
import { parseLabel } from "./label_parser.js";
import { ATTEMPTS, decodeWithAttempts, warmUp } from "./decode_attempts.js";

// {rung}: codes of this look of the ladder only, counted on for ever. Otherwise texts; {known: {vendors, expected}}: the whole ladder until
// the label is understood; neither: until any code was read.
/** @param {any} pixels @param {{rung?: number, known?: any}} [how] */
export async function decodePixels(pixels, { rung, known } = {}) {
  const read = await loadReader();
  const grey = toGreyscale(pixels);
  if (rung !== undefined) return ATTEMPTS[rung % ATTEMPTS.length](grey, read);
  return decodeWithAttempts(grey, read, known && ((codes) => isComplete(codes, known)));
}

export const isComplete = (codes, { vendors, expected }) => !parseLabel(codes, vendors, expected).unsure.length;

// Before anybody waits for it.
export const warmUpDecoder = async () => warmUp(await loadReader());
