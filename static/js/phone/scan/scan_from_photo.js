// Reads a photo of the label: all decode attempts here, then the server for what this phone cannot read.

import { decodeImage, scaleImage } from "../app/camera/photo_encoding.js";
import { request } from "../app/api_client.js";
import { isComplete } from "./image_decoder.js";
import { parseLabel } from "./label_parser.js";
import { decodeCanvas } from "./decoder_client.js";

// as large as closures/photos/barcodes.py looks at
const LONG_EDGE = 1600;

// Its canvas is null where this browser cannot open the file (HEIC).
/** @param {File} file @param {KnownLabels} known @returns {Promise<ScanFound>} */
export async function readPhoto(file, { vendors, expected }) {
  const known = { vendors, expected };
  const drawn = await decodeImage(file);
  const canvas = drawn && scaleImage(drawn, LONG_EDGE, { willReadFrequently: true });
  const here = canvas ? await decodeCanvas(canvas, { known }) : [];
  drawn?.close();
  const there = isComplete(here, known) ? [] : await fromServer(file, expected);
  const codes = [...new Set([...here, ...there])];
  return { label: parseLabel(codes, vendors, expected), codes, canvas };
}

// Without signal, what was read here is all there is.
/** @param {File} file @param {string[]} expected @returns {Promise<string[]>} */
async function fromServer(file, expected) {
  try {
    const asked = new URLSearchParams(expected.map((value) => ["expected", value]));
    const headers = { "Content-Type": "application/octet-stream" };
    const answer = await request(`/phone/scan-photo?${asked}`, { method: "POST", body: file, headers });
    return (await answer.json()).codes ?? [];
  } catch {
    return [];
  }
}
