// The camera in the page: it stays in the same tab, which Android ends when its own camera application needs memory.

const STILL_MS = 4000;
// where a still cannot be asked for, a frame of the film is the picture, so the film is large
const FILM = "ImageCapture" in globalThis ? { width: { ideal: 1920 }, height: { ideal: 1080 } } : { width: { ideal: 4096 }, height: { ideal: 2160 } };

// it is blocked, or did not start: the phone's camera application takes the photos, until the application is opened again
let hasFailed = false;

export const hasCamera = () => !hasFailed && Boolean(navigator.mediaDevices?.getUserMedia);

// Shows the film in `video`. Gives {still(), stop()}; raises what getUserMedia raises (no camera, not allowed).
/** @param {HTMLVideoElement} video @returns {Promise<PhotoCamera>} */
export async function openCamera(video) {
  const stream = await openStream();
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
    document.removeEventListener("visibilitychange", stopHidden);
    gone.disconnect();
  };
  // whoever leaves the page or the telephone leaves no camera running
  const stopHidden = () => document.visibilityState === "hidden" && stop();
  const gone = new MutationObserver(() => !video.isConnected && stop());
  document.addEventListener("visibilitychange", stopHidden);
  gone.observe(document.body, { childList: true, subtree: true });
  video.srcObject = stream;
  await video.play().catch(() => {});
  return { still: () => takeStill(stream, video), stop, ended: () => !stream.active };
}

async function openStream() {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: { ideal: "environment" }, ...FILM } });
  } catch (problem) {
    hasFailed = true;
    throw problem;
  }
}

// As large as the camera makes them; a frame of the film where it does not answer in time.
/** @param {MediaStream} stream @param {HTMLVideoElement} video */
async function takeStill(stream, video) {
  try {
    const capture = new ImageCapture(stream.getVideoTracks()[0]);
    return await withTimeout(capture.takePhoto(), STILL_MS);
  } catch {
    return await createImageBitmap(video);
  }
}

/** @template Result @param {Promise<Result>} promise @param {number} milliseconds @returns {Promise<Result>} */
function withTimeout(promise, milliseconds) {
  /** @type {ReturnType<typeof setTimeout>} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(reject, milliseconds, new Error("too late"));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
