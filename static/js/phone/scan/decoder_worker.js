// Reads pictures beside the page. decoder_client.js starts it, asks {number, pixels, how} and hears {number, codes} or
// {number, problem}; the first word, of number 0, says that it is there.

import { decodePixels, warmUpDecoder } from "./image_decoder.js";

self.onmessage = async ({ data: { number, pixels, how } }) => {
  self.postMessage({ number, ...(await answer(pixels, how)) });
};

function answer(pixels, how) {
  return decodePixels(pixels, how).then((codes) => ({ codes }), (problem) => ({ problem: String(problem) }));
}

self.postMessage({ number: 0 });
// a reader that does not start says so when it is asked
warmUpDecoder().catch(() => {});
