// Looks again at what a plain reader misses: larger, turned, sharpened. closures/barcodes.py climbs the same ladder;
// docs/scanning.md says what each rung is worth. Each rung is (grey, read) → texts; read is that of decoder.js.

import { enlarged, flattened, sharpened, squeezed } from "./grey.js";

const MATRIX = ["QRCode", "DataMatrix"];
const BARS = ["Code128"];
const ALL = [...MATRIX, ...BARS];
const PLAINLY = { harder: false };
// rows of a bar code lie on each other: their mean has less grain than each
const ROWS = 12;
// every eighth row crosses the bars often enough
const STRIDE = 8;

const asItIs = (grey, read) => read(grey, ALL, PLAINLY);

// Where people hold the label; and for grain and blur, bars only, as a picture of few rows.
function middle(grey, read) {
  const larger = enlarged(grey, 0.6);
  const rows = flattened(larger, ROWS);
  return [...read(larger, ALL), ...read(rows, BARS, PLAINLY), ...read(sharpened(rows, 3, 3), BARS, PLAINLY)];
}

const inmost = (grey, read) => read(enlarged(grey, 0.35), MATRIX);

// Bars in any direction, anywhere; a part of the directions on each rung, so that none takes long.
const turned = (turns) => (grey, read) => turns.flatMap((turn) => read(squeezed(grey, turn, STRIDE), BARS, PLAINLY));

// Out of focus. Not for bars: sharpened noise has made a wrong digit with a right check digit.
const outOfFocus = (grey, read) => read(sharpened(enlarged(grey, 0.5, 0.625), 2.2, 5), MATRIX);

const harder = (grey, read) => read(grey, MATRIX);

export const RUNGS = [
  asItIs,
  middle,
  turned([90, 45, 135, 15]),
  inmost,
  turned([165, 30, 150, 60]),
  outOfFocus,
  turned([75, 105, 120]),
  harder,
];

// Climbs until `enough` says yes to what was found; a page that climbs itself stays quick in between.
export async function climb(grey, read, enough = (found) => found.length > 0) {
  const found = new Set();
  for (const rung of RUNGS) {
    for (const text of rung(grey, read)) found.add(text);
    if (enough([...found])) break;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return [...found];
}

// The first look costs a browser several times the others, so it is spent on nothing while nobody waits.
export function warmUp(read) {
  const nothing = { data: new Uint8Array(320 * 180).map((_none, at) => (at * 7919) % 251), width: 320, height: 180 };
  asItIs(nothing, read);
  return read;
}
