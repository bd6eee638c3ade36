// The web worker that decodes images. decoder_client.js starts it, posts {number, pixels, how} and receives {number,
// codes} or {number, problem}; the first message, of number 0, says that it is ready.

import { decodePixels, warmUpDecoder } from "./image_decoder.js";

/** @param {MessageEvent<DecodeRequest>} event */
self.onmessage = async ({ data: { number, pixels, how } }) => {
  self.postMessage({ number, ...(await answer(pixels, how)) });
};

/** @param {Pixels} pixels @param {DecodeOptions} [how] */
function answer(pixels, how) {
  return decodePixels(pixels, how).then((codes) => ({ codes }), (problem) => ({ problem: String(problem) }));
}

self.postMessage({ number: 0 });
// a reader that does not start reports it when it is used
warmUpDecoder().catch(() => {});
