// A photo of the label: the whole ladder here, and what this phone cannot read is asked of the server.

import { decoded, scaled } from "../app/camera/picture.js";
import { ask } from "../app/server.js";
import { context } from "./camera.js";
import { reader } from "./decoder.js";
import { greyOf } from "./grey.js";
import { pick } from "./label.js";
import { climb } from "./ladder.js";

// as large as closures/barcodes.py looks at
const LONG_EDGE = 1600;

// {label, codes, canvas}; canvas is null where this browser cannot open the file (HEIC).
export async function readStill(file, { vendors, expected }) {
  const understood = (codes) => pick(codes, vendors, expected);
  const drawn = await decoded(file);
  const canvas = drawn && scaled(drawn, LONG_EDGE, { willReadFrequently: true });
  const here = canvas ? await climb(pixels(canvas), await reader(), (codes) => !understood(codes).unsure.length) : [];
  drawn?.close();
  if (!understood(here).unsure.length) return { label: understood(here), codes: here, canvas };
  const codes = [...new Set([...here, ...(await fromServer(file, expected))])];
  return { label: understood(codes), codes, canvas };
}

const pixels = (canvas) => greyOf(context(canvas).getImageData(0, 0, canvas.width, canvas.height));

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
