// Repeated attempts at what a plain reader misses: larger, turned, sharpened. closures/photos/barcodes.py makes the same kinds,
// in another order and with its library's filters; docs/scanning.md rates each. Each is (grey, read) → codes; read is that of zxing.js.

import { repairFinders } from "./finders.js";
import { enlarge, averageRows, normaliseLight, sharpen, rotateAndThin, removeScratches } from "./greyscale.js";

/** @type {CodeFormat[]} */
const MATRIX = ["QRCode", "DataMatrix"];
/** @type {CodeFormat[]} */
const QR = ["QRCode"];
/** @type {CodeFormat[]} */
const BARS = ["Code128"];
const ALL = [...MATRIX, ...BARS];
const PLAINLY = { harder: false };
// rows of a bar code lie on each other: their mean has less grain than each
const ROWS = 12;
// of a turned picture every third row is taken, and four of those become their mean: twelve rows again, for less work
const STRIDE = 3;
const HEAP = 4;

/** @type {DecodeAttempt} */
const asItIs = (grey, read) => read(grey, ALL, PLAINLY);

// Where people hold the label; and for grain and blur, bars only, as a picture of few rows.
/** @type {DecodeAttempt} */
function middle(grey, read) {
  const larger = enlarge(grey, 0.6);
  const rows = averageRows(larger, ROWS);
  return [...read(larger, ALL, { zoom: 1 / 0.6 }), ...read(rows, BARS, PLAINLY), ...read(sharpen(rows, 3, 3), BARS, PLAINLY)];
}

// Bars that are longer than the middle, in grain and in the dark.
/** @type {DecodeAttempt} */
const wholeWidth = (grey, read) => read(averageRows(grey, ROWS), BARS, PLAINLY);

// The same with other rows lying on each other: another look at the same bars.
/** @type {DecodeAttempt} */
const mostOfTheWidth = (grey, read) => read(averageRows(enlarge(grey, 0.8), ROWS), BARS, PLAINLY);

/** @type {DecodeAttempt} */
const inmost = (grey, read) => read(enlarge(grey, 0.35), MATRIX, { zoom: 1 / 0.35 });

// Bars in any direction, anywhere; a part of the directions on each attempt, so that none takes long.
/** @type {(turns: number[]) => DecodeAttempt} */
const turned = (turns) => (grey, read) =>
  turns.flatMap((turn) => read(averageRows(rotateAndThin(grey, turn, STRIDE), HEAP), BARS, PLAINLY));

// Out of focus. Not for bars: sharpened noise has made a wrong digit with a right check digit.
/** @type {DecodeAttempt} */
const outOfFocus = (grey, read) => read(sharpen(enlarge(grey, 0.5, 0.625), 2.2, 5), MATRIX, { zoom: 0.625 / 0.5 });

/** @type {DecodeAttempt} */
const harder = (grey, read) => read(grey, MATRIX);

// Lines thinner than a module.
/** @type {DecodeAttempt} */
const scratched = (grey, read) => read(removeScratches(grey), MATRIX);

// A lamp's spot or a scratch on one of a QR code's three finders.
/** @type {DecodeAttempt} */
const withAllFinders = (grey, read) => repairFinders(grey).flatMap((code) => read(code, QR, PLAINLY));

// Made once for a picture, however many attempts look at it.
const evenLight = new WeakMap();
/** @param {GreyPicture} grey @returns {GreyPicture} */
function inEvenLight(grey) {
  if (!evenLight.has(grey)) evenLight.set(grey, normaliseLight(grey));
  return evenLight.get(grey);
}

// Each looks at the picture as it is, then in even light.
/** @type {DecodeAttempt[]} */
export const ATTEMPTS = [
  asItIs,
  middle,
  wholeWidth,
  mostOfTheWidth,
  turned([90, 45, 135, 15]),
  inmost,
  withAllFinders,
  turned([165, 30, 150, 60]),
  outOfFocus,
  turned([75, 105, 120]),
  harder,
  scratched,
].flatMap((attempt) => [attempt, (grey, read) => attempt(inEvenLight(grey), read)]);

// A square code repairs or refuses itself; a bar code has one check digit, which fits a wrong reading now and then, so
// it counts once two looks agree, and so does a square code of very small modules.
/** @returns {CodeTally} */
export function createTally() {
  /** @type {Map<string, number>} */
  const looks = new Map();
  return {
    add(codes) {
      for (const { text, isSure } of new Map(codes.map((code) => [code.text, code])).values()) {
        looks.set(text, (looks.get(text) ?? 0) + (isSure ? 2 : 1));
      }
    },
    confirmed: () => [...looks].filter(([, count]) => count >= 2).map(([text]) => text),
    hasUnconfirmed: () => [...looks.values()].includes(1),
  };
}

// Texts. Tries until `enough` accepts what was found; a page that makes the attempts itself stays responsive in between.
/** @param {GreyPicture} grey @param {CodeReader} read @param {(found: string[]) => boolean} [enough] */
export async function decodeWithAttempts(grey, read, enough = (found) => found.length > 0) {
  const tally = createTally();
  for (const attempt of ATTEMPTS) {
    tally.add(attempt(grey, read));
    if (enough(tally.confirmed())) break;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return tally.confirmed();
}

// The first look costs a browser several times the others, so it is spent on nothing while nobody waits.
/** @param {CodeReader} read */
export function warmUp(read) {
  const nothing = { data: new Uint8Array(320 * 180).map((_none, at) => (at * 7919) % 251), width: 320, height: 180 };
  asItIs(nothing, read);
  return read;
}
