// Checks whether a photo is blurred, dark or unreadable. Pure: over a small copy's pixels.

// the small copy's long edge; the limits below were found at this size
export const COPY_EDGE = 640;
const TILES = 6;
// of 36 parts, the fourth sharpest speaks for the picture: a wall around a sharp socket is no blur
const DECIDING_TILE = 3;
const BLURRED_BELOW = 60;
// small print is readable where at least a few parts are full of hard edges
const READABLE_FROM = 250;
const DARK_BELOW = 60;

// `label` asks for readable print.
/** @param {Pixels} pixels @param {{ label?: boolean }} [question] @returns {PhotoChecks} */
export function checkQuality(pixels, { label = false } = {}) {
  const grey = toGreyscale(pixels);
  const sharp = sharpness(grey, pixels.width, pixels.height);
  return {
    blur: sharp < BLURRED_BELOW,
    dark: brightness(grey) < DARK_BELOW,
    unreadable: label && sharp < READABLE_FROM,
  };
}

/** @param {PhotoChecks} checks */
export const isGood = ({ blur, dark, unreadable }) => !blur && !dark && !unreadable;

/** @param {Pixels} pixels */
export function toGreyscale({ data, width, height }) {
  const grey = new Uint8Array(width * height);
  for (let at = 0; at < grey.length; at += 1) {
    grey[at] = (data[4 * at] * 299 + data[4 * at + 1] * 587 + data[4 * at + 2] * 114) / 1000;
  }
  return grey;
}

// What all but the brightest tenth stay below, 0 to 255: a lamp in a dark cellar makes no light picture.
/** @param {Uint8Array} grey */
export function brightness(grey) {
  const counts = new Uint32Array(256);
  for (const value of grey) counts[value] += 1;
  let seen = 0;
  let value = 0;
  while (value < 255 && (seen += counts[value]) < 0.9 * grey.length) value += 1;
  return value;
}

// The variance of the Laplacian in the parts that have most of it.
/** @param {Uint8Array} grey @param {number} width @param {number} height */
export function sharpness(grey, width, height) {
  const found = [];
  for (let row = 0; row < TILES; row += 1) {
    for (let column = 0; column < TILES; column += 1) {
      found.push(variance(grey, width, part(width, column), part(height, row)));
    }
  }
  return found.sort((left, other) => other - left)[DECIDING_TILE];
}

// From the first to before the last, without the outermost pixels, which have no neighbours.
/** @param {number} length @param {number} number @returns {[from: number, to: number]} */
function part(length, number) {
  /** @param {number} at */
  const edge = (at) => 1 + Math.floor(((length - 2) * at) / TILES);
  return [edge(number), edge(number + 1)];
}

/** @param {Uint8Array} grey @param {number} width @param {[left: number, right: number]} columns @param {[top: number, bottom: number]} rows */
function variance(grey, width, [left, right], [top, bottom]) {
  let sum = 0;
  let squares = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = y * width + x;
      const value = grey[at - 1] + grey[at + 1] + grey[at - width] + grey[at + width] - 4 * grey[at];
      sum += value;
      squares += value * value;
    }
  }
  const count = Math.max(1, (right - left) * (bottom - top));
  return squares / count - (sum / count) ** 2;
}
