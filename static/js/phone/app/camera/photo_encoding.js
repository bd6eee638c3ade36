// A picture as it is kept: upright, no larger than the question wants, without anything of the camera's own data.

import { COPY_EDGE, verdict } from "./photo_quality.js";
import { fileProblem, formatOf, NotAPicture } from "./image_formats.js";

// where the matrix says nothing
export const LONG_EDGE = 1600;
export const QUALITY = 0.8;
const JPEG = "image/jpeg";
// a picture full of leaves is packed tighter: bytes for each pixel, of which a plain one needs half
const MOST_PER_PIXEL = 0.22;
const LOWEST_QUALITY = 0.5;
const GOOD = Object.freeze({ blur: false, dark: false, unreadable: false });

// {bytes, sha256, checks} of a Blob, or of anything that a canvas draws. A HEIC that this browser cannot read goes up as
// it is, and the server makes a JPEG of it. Raises NotAPicture.
export async function made(source, question) {
  const drawn = source instanceof Blob ? await read(source) : source;
  if (drawn instanceof ArrayBuffer) return { ...(await packed(drawn)), checks: GOOD };
  const canvas = scaled(drawn, question.long_edge ?? LONG_EDGE);
  const checks = verdict(smallCopy(canvas), { label: Boolean(question.label) });
  drawn.close?.();
  return { ...(await jpegOf(canvas, question)), checks };
}

async function read(file) {
  const bytes = await file.arrayBuffer();
  const problem = fileProblem(new Uint8Array(bytes));
  if (problem) throw new NotAPicture(problem);
  const drawn = await decoded(file);
  if (!drawn && formatOf(new Uint8Array(bytes)) !== "heic") throw new NotAPicture("unreadable");
  return drawn ?? bytes;
}

export async function jpegOf(canvas, { quality = QUALITY } = {}) {
  const most = canvas.width * canvas.height * MOST_PER_PIXEL;
  let blob = await encoded(canvas, quality);
  for (let next = quality - 0.1; blob.size > most && next >= LOWEST_QUALITY; next -= 0.1) {
    blob = await encoded(canvas, next);
  }
  return packed(await blob.arrayBuffer());
}

// Upright by the camera's own mark; null when this browser cannot read it.
export async function decoded(blob) {
  try {
    return await createImageBitmap(blob, { imageOrientation: "from-image" });
  } catch {
    return null;
  }
}

export function canvasOf(width, height, options) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  return [canvas, canvas.getContext("2d", options)];
}

export function scaled(drawn, longEdge, options) {
  const [width, height] = [drawn.videoWidth ?? drawn.width, drawn.videoHeight ?? drawn.height];
  const scale = Math.min(1, longEdge / Math.max(width, height));
  const [canvas, context] = canvasOf(width * scale, height * scale, options);
  context.imageSmoothingQuality = "high";
  context.drawImage(drawn, 0, 0, canvas.width, canvas.height);
  return canvas;
}

function smallCopy(canvas) {
  const copy = scaled(canvas, COPY_EDGE, { willReadFrequently: true });
  return copy.getContext("2d").getImageData(0, 0, copy.width, copy.height);
}

function encoded(canvas, quality) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), JPEG, quality);
  });
}

async function packed(bytes) {
  return { bytes, sha256: await sha256(bytes) };
}

// Empty where the browser gives none (a plain address in a test network): the server then takes the bytes as they are.
async function sha256(bytes) {
  if (!globalThis.crypto?.subtle) return "";
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
