// Watches the camera until a label is understood: one decode attempt for each frame, codes gathered over the frames.

import { grabFrame, isOpen } from "./scan_camera.js";
import { parseLabel } from "./label_parser.js";
import { createTally } from "./decode_attempts.js";
import { createNativeReader } from "./native_reader.js";
import { decodeCanvas } from "./decoder_client.js";

// a label has more than one code: after the first, the others get this long
const MORE_MS = 2500;

// As soon as both values are there, or a while after the first; null when the camera was closed.
/** @param {ScanCamera} camera @param {KnownLabels & { isWanted: () => boolean }} wanted @returns {Promise<ScanFound | null>} */
export async function scanLive(camera, { vendors, expected, isWanted }) {
  const native = await createNativeReader();
  /** @type {ScanProgress} */
  const seen = { codes: new Set(), tally: createTally(), since: 0, lastFrame: document.createElement("canvas") };
  const canvas = document.createElement("canvas");
  let [attempt, isSecondLook] = [0, false];
  while (isWanted() && isOpen(camera)) {
    await nextFrame(camera.video);
    if (!grabFrame(camera, canvas)) continue;
    const byTheSystem = native ? await native(canvas) : [];
    seen.tally.add(byTheSystem.length ? byTheSystem : await decodeCanvas(canvas, { attempt }));
    if (!byTheSystem.length) {
      // the same look once more at the next frame, where a code waits for its second reading
      isSecondLook = seen.tally.hasUnconfirmed() && !isSecondLook;
      if (!isSecondLook) attempt += 1;
    }
    const label = gatherLabel(seen, seen.tally.confirmed(), canvas, { vendors, expected });
    if (label) return { label, codes: [...seen.codes], canvas: seen.lastFrame };
  }
  return null;
}

/** @param {ScanProgress} seen @param {string[]} texts @param {HTMLCanvasElement} canvas @param {KnownLabels} known */
function gatherLabel(seen, texts, canvas, { vendors, expected }) {
  const fresh = texts.filter((text) => !seen.codes.has(text));
  for (const text of fresh) seen.codes.add(text);
  const label = parseLabel([...seen.codes], vendors, expected);
  // the picture that is kept is the one on which most was read
  if (fresh.length && (label.fsan || label.serial_number)) copyFrame(seen, canvas);
  if (!label.fsan && !label.fsans.length) return null;
  if (!label.unsure.length) return label;
  seen.since ||= performance.now();
  return performance.now() - seen.since > MORE_MS ? label : null;
}

/** @param {ScanProgress} seen @param {HTMLCanvasElement} canvas */
function copyFrame({ lastFrame }, canvas) {
  lastFrame.width = canvas.width;
  lastFrame.height = canvas.height;
  lastFrame.getContext("2d")?.drawImage(canvas, 0, 0);
}

// A new picture of the film; where the browser does not announce one (or the film stands still), a pause.
/** @param {HTMLVideoElement} video @returns {Promise<void>} */
function nextFrame(video) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 250);
    video.requestVideoFrameCallback?.(() => {
      clearTimeout(timer);
      setTimeout(resolve);
    });
  });
}
