// Where pictures are read: in a worker beside the page, which answers the hand meanwhile; on the page where none starts or
// one fails, so that a label is read in any browser that has WebAssembly.

import { context } from "./scan_camera.js";
import { codesIn, getReady } from "./image_decoder.js";

// below /phone/, so that the service worker keeps for it what it loads
const ADDRESS = "/phone/reader.js";
// a worker that is kept on the phone is there much sooner
const START_MS = 10_000;

// the worker, or null: here on the page
let place = null;
let asked = 0;

const beside = () => (place ??= started().catch(onThePage));

// Loaded and tried before anybody waits for it.
export async function makeReady() {
  if (!(await beside())) await getReady();
}

// The codes on a canvas as texts; `how` is that of image_decoder.js.
export async function codesOn(canvas, how) {
  const worker = await beside();
  if (!worker) return codesIn(pixelsOf(canvas), how);
  try {
    return await ask(worker, pixelsOf(canvas), how);
  } catch (problem) {
    place = onThePage(problem);
    return codesOn(canvas, how);
  }
}

const pixelsOf = (canvas) => context(canvas).getImageData(0, 0, canvas.width, canvas.height);

async function onThePage(problem) {
  console.warn("labels are read on the page:", problem);
  return null;
}

async function started() {
  const worker = new Worker(ADDRESS, { type: "module" });
  try {
    await said(worker, 0, AbortSignal.timeout(START_MS));
  } catch (problem) {
    worker.terminate();
    throw problem;
  }
  return worker;
}

// The pixels are given away, not copied.
async function ask(worker, { data, width, height }, how) {
  asked += 1;
  const answer = said(worker, asked);
  worker.postMessage({ number: asked, pixels: { data, width, height }, how }, [data.buffer]);
  const { codes, problem } = await answer;
  if (problem) throw new Error(problem);
  return codes;
}

// What the worker says under this number; it fails with the worker, or when it was waited for too long.
function said(worker, number, tooLate = null) {
  const heard = new AbortController();
  const { signal } = heard;
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => data.number === number && resolve(data), { signal });
    worker.addEventListener("error", ({ message }) => reject(new Error(`the worker failed: ${message}`)), { signal });
    tooLate?.addEventListener("abort", () => reject(tooLate.reason), { signal });
  }).finally(() => heard.abort());
}
