// Decodes images in a web worker, so that the page stays responsive; on the page itself where no worker starts or one
// fails, so that a label is read in any browser with WebAssembly.

import { canvasContext } from "./scan_camera.js";
import { decodePixels, warmUpDecoder } from "./image_decoder.js";

// below /phone/, so that the service worker keeps for it what it loads
const ADDRESS = "/phone/reader.js";
// a worker that is kept on the phone is there much sooner
const START_MS = 10_000;

// the worker, or null: here on the page
/** @type {Promise<Worker | null> | null} */
let workerStarting = null;
let lastNumber = 0;

const getWorker = () => (workerStarting ??= startWorker().catch(fallBackToPage));

// Loaded and tried before anybody waits for it.
export async function preloadDecoder() {
  if (!(await getWorker())) await warmUpDecoder();
}

// The codes on a canvas as texts; `how` is that of image_decoder.js.
/** @template {DecodeOptions} How @param {HTMLCanvasElement} canvas @param {How} how @returns {Promise<DecodedBy<How>[]>} */
export async function decodeCanvas(canvas, how) {
  const worker = await getWorker();
  if (!worker) return /** @type {Promise<DecodedBy<How>[]>} */ (decodePixels(pixelsOf(canvas), how));
  try {
    return /** @type {DecodedBy<How>[]} */ (await askWorker(worker, pixelsOf(canvas), how));
  } catch (problem) {
    workerStarting = fallBackToPage(problem);
    return decodeCanvas(canvas, how);
  }
}

/** @param {HTMLCanvasElement} canvas */
const pixelsOf = (canvas) => canvasContext(canvas).getImageData(0, 0, canvas.width, canvas.height);

/** @param {unknown} problem @returns {Promise<null>} */
async function fallBackToPage(problem) {
  console.warn("labels are read on the page:", problem);
  return null;
}

async function startWorker() {
  const worker = new Worker(ADDRESS, { type: "module" });
  try {
    await answerOf(worker, 0, AbortSignal.timeout(START_MS));
  } catch (problem) {
    worker.terminate();
    throw problem;
  }
  return worker;
}

// The pixels are given away, not copied.
/** @param {Worker} worker @param {ImageData} pixels @param {DecodeOptions} how */
async function askWorker(worker, { data, width, height }, how) {
  lastNumber += 1;
  const answer = answerOf(worker, lastNumber);
  worker.postMessage({ number: lastNumber, pixels: { data, width, height }, how }, [data.buffer]);
  const { codes, problem } = await answer;
  if (problem) throw new Error(problem);
  return codes;
}

// The worker's answer to this number; it fails with the worker, or when it was waited for too long.
/** @param {Worker} worker @param {number} number @param {AbortSignal | null} [tooLate] @returns {Promise<DecodeAnswer>} */
function answerOf(worker, number, tooLate = null) {
  const listeners = new AbortController();
  const { signal } = listeners;
  return /** @type {Promise<DecodeAnswer>} */ (new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => data.number === number && resolve(data), { signal });
    worker.addEventListener("error", ({ message }) => reject(new Error(`the worker failed: ${message}`)), { signal });
    tooLate?.addEventListener("abort", () => reject(tooLate.reason), { signal });
  })).finally(() => listeners.abort());
}
