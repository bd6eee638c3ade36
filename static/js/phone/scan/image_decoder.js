// From a picture's pixels to the codes in it: zxing and its ladder together, the same in the worker and on the page.

import { reader } from "./zxing.js";
import { greyOf } from "./greyscale.js";
import { pick } from "./label_parser.js";
import { RUNGS, climb, warmUp } from "./decode_attempts.js";

// {rung}: codes of this look of the ladder only, counted on for ever. Otherwise texts; {known: {vendors, expected}}: the whole ladder until
// the label is understood; neither: until any code was read.
export async function codesIn(pixels, { rung, known } = {}) {
  const read = await reader();
  const grey = greyOf(pixels);
  if (rung !== undefined) return RUNGS[rung % RUNGS.length](grey, read);
  return climb(grey, read, known && ((codes) => isUnderstood(codes, known)));
}

export const isUnderstood = (codes, { vendors, expected }) => !pick(codes, vendors, expected).unsure.length;

// Before anybody waits for it.
export const getReady = async () => warmUp(await reader());
