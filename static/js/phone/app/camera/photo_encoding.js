// Encodes a photo for storage: upright, no larger than the question asks for, without the camera's metadata.

import { COPY_EDGE, checkQuality } from "./photo_quality.js";
import { fileProblem, detectFormat, InvalidImage } from "./image_formats.js";

// of a signature on paper, and where a day that an earlier version stored names none
export const USUAL_SIZE = Object.freeze({ long_edge: 1600, quality: 0.8 });
const JPEG = "image/jpeg";
// a picture full of leaves is packed tighter: bytes for each pixel, of which a plain one needs half
const MOST_PER_PIXEL = 0.22;
const LOWEST_QUALITY = 0.5;
const GOOD_CHECKS = Object.freeze({ blur: false, dark: false, unreadable: false });

// Of a Blob, or of anything that a canvas draws. A HEIC that this browser cannot read goes up as
// it is, and the server makes a JPEG of it. Raises InvalidImage.
/** @param {DrawnPhoto | Blob} source @param {PictureSize & { label?: boolean }} wanted @returns {Promise<PreparedPhoto>} */
export async function preparePhoto(source, wanted) {
  const drawn = source instanceof Blob ? await readFile(source) : source;
  if (drawn instanceof ArrayBuffer) return { ...(await withHash(drawn)), checks: GOOD_CHECKS };
  const canvas = scaleImage(drawn, wanted.long_edge);
  const checks = checkQuality(smallCopy(canvas), { label: Boolean(wanted.label) });
  /** @type {Partial<ImageBitmap>} */ (drawn).close?.();
  return { ...(await encodeJpeg(canvas, wanted)), checks };
}

/** @param {Blob} file */
async function readFile(file) {
  const bytes = await file.arrayBuffer();
  const problem = fileProblem(new Uint8Array(bytes));
  if (problem) throw new InvalidImage(problem);
  const drawn = await decodeImage(file);
  if (!drawn && detectFormat(new Uint8Array(bytes)) !== "heic") throw new InvalidImage("unreadable");
  return drawn ?? bytes;
}

/** @param {HTMLCanvasElement} canvas @param {Pick<PictureSize, "quality">} wanted @returns {Promise<EncodedPhoto>} */
export async function encodeJpeg(canvas, { quality }) {
  const most = canvas.width * canvas.height * MOST_PER_PIXEL;
  let blob = await toBlob(canvas, quality);
  for (let next = quality - 0.1; blob.size > most && next >= LOWEST_QUALITY; next -= 0.1) {
    blob = await toBlob(canvas, next);
  }
  return withHash(await blob.arrayBuffer());
}

// Upright by the camera's own mark; null when this browser cannot read it.
/** @param {Blob} blob */
export async function decodeImage(blob) {
  try {
    return await createImageBitmap(blob, { imageOrientation: "from-image" });
  } catch {
    return null;
  }
}

/** @param {number} width @param {number} height @param {CanvasRenderingContext2DSettings} [options] @returns {[HTMLCanvasElement, CanvasRenderingContext2D]} */
export function createCanvas(width, height, options) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  return [canvas, /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", options))];
}

/** @param {DrawnPhoto} drawn @param {number} longEdge @param {CanvasRenderingContext2DSettings} [options] */
export function scaleImage(drawn, longEdge, options) {
  const { width, height } = drawn;
  const scale = Math.min(1, longEdge / Math.max(width, height));
  const [canvas, context] = createCanvas(width * scale, height * scale, options);
  context.imageSmoothingQuality = "high";
  context.drawImage(drawn, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** @param {HTMLCanvasElement} canvas */
function smallCopy(canvas) {
  const copy = scaleImage(canvas, COPY_EDGE, { willReadFrequently: true });
  return /** @type {CanvasRenderingContext2D} */ (copy.getContext("2d")).getImageData(0, 0, copy.width, copy.height);
}

/** @param {HTMLCanvasElement} canvas @param {number} quality @returns {Promise<Blob>} */
function toBlob(canvas, quality) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), JPEG, quality);
  });
}

/** @param {ArrayBuffer} bytes @returns {Promise<EncodedPhoto>} */
export async function withHash(bytes) {
  return { bytes, sha256: await sha256(bytes) };
}

// Empty where the browser gives none (a plain address in a test network): the server then takes the bytes as they are.
/** @param {ArrayBuffer} bytes */
async function sha256(bytes) {
  if (!globalThis.crypto?.subtle) return "";
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
