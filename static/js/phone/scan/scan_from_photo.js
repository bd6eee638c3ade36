// A photo of the label: the whole ladder here, and what this phone cannot read is asked of the server.

import { decoded, scaled } from "../app/camera/photo_encoding.js";
import { ask } from "../app/api_client.js";
import { isUnderstood } from "./image_decoder.js";
import { pick } from "./label_parser.js";
import { codesOn } from "./decoder_client.js";

// as large as closures/barcodes.py looks at
const LONG_EDGE = 1600;

// {label, codes, canvas}; canvas is null where this browser cannot open the file (HEIC).
export async function readStill(file, { vendors, expected }) {
  const known = { vendors, expected };
  const drawn = await decoded(file);
  const canvas = drawn && scaled(drawn, LONG_EDGE, { willReadFrequently: true });
  const here = canvas ? await codesOn(canvas, { known }) : [];
  drawn?.close();
  const there = isUnderstood(here, known) ? [] : await fromServer(file, expected);
  const codes = [...new Set([...here, ...there])];
  return { label: pick(codes, vendors, expected), codes, canvas };
}

// Without signal, what was read here is all there is.
async function fromServer(file, expected) {
  try {
    const asked = new URLSearchParams(expected.map((value) => ["expected", value]));
    const headers = { "Content-Type": "application/octet-stream" };
    const answer = await ask(`/phone/scan-photo?${asked}`, { method: "POST", body: file, headers });
    return (await answer.json()).codes ?? [];
  } catch {
    return [];
  }
}
