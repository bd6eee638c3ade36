// From an image's pixels to the codes in it: zxing and the decode attempts together, the same in the worker and on the
// page.

import { loadReader } from "./zxing.js";
import { toGreyscale } from "./greyscale.js";
import { parseLabel } from "./label_parser.js";
import { ATTEMPTS, decodeWithAttempts, warmUp } from "./decode_attempts.js";

// With `attempt` the codes of this attempt only, counted on for ever. Otherwise texts; with `known` until the label is
// understood, else until any code was read.
/** @param {Pixels} pixels @param {DecodeOptions} [how] @returns {Promise<(string | ScannedCode)[]>} */
export async function decodePixels(pixels, { attempt, known } = {}) {
  const read = await loadReader();
  const grey = toGreyscale(pixels);
  if (attempt !== undefined) return ATTEMPTS[attempt % ATTEMPTS.length](grey, read);
  return decodeWithAttempts(grey, read, known && ((codes) => isComplete(codes, known)));
}

/** @param {Iterable<string>} codes @param {KnownLabels} known */
export const isComplete = (codes, { vendors, expected }) => !parseLabel(codes, vendors, expected).unsure.length;

// Before anybody waits for it.
export const warmUpDecoder = async () => warmUp(await loadReader());
