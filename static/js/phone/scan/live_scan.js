// Watches the camera until a label is understood: one decode attempt for each frame, codes gathered over the frames.

import { grabFrame, isOpen } from "./scan_camera.js";
import { parseLabel } from "./label_parser.js";
import { createTally } from "./decode_attempts.js";
import { createNativeReader } from "./native_reader.js";
import { decodeCanvas } from "./decoder_client.js";

// a label has more than one code: after the first, the others get this long
const MORE_MS = 2500;

// {label, codes, canvas} as soon as both values are there, or a while after the first; null when the camera was closed.
export async function scanLive(camera, { vendors, expected, isWanted }) {
  const native = await createNativeReader();
  const seen = { codes: new Set(), tally: createTally(), since: 0, kept: document.createElement("canvas") };
  const canvas = document.createElement("canvas");
  let [rung, isSecondLook] = [0, false];
  while (isWanted() && isOpen(camera)) {
    await nextFrame(camera.video);
    if (!grabFrame(camera, canvas)) continue;
    const byTheSystem = native ? await native(canvas) : [];
    seen.tally.add(byTheSystem.length ? byTheSystem : await decodeCanvas(canvas, { rung }));
    if (!byTheSystem.length) {
      // the same look once more at the next frame, where a code waits for its second reading
      isSecondLook = seen.tally.hasUnconfirmed() && !isSecondLook;
      if (!isSecondLook) rung += 1;
    }
    const label = gatherLabel(seen, seen.tally.confirmed(), canvas, { vendors, expected });
    if (label) return { label, codes: [...seen.codes], canvas: seen.kept };
  }
  return null;
}

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

function copyFrame({ kept }, canvas) {
  kept.width = canvas.width;
  kept.height = canvas.height;
  kept.getContext("2d").drawImage(canvas, 0, 0);
}

// A new picture of the film; where the browser does not tell of one (or the film stands still), a while.
function nextFrame(video) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 250);
    video.requestVideoFrameCallback?.(() => {
      clearTimeout(timer);
      setTimeout(resolve);
    });
  });
}
