// The camera while a label is scanned: lens, torch, two-times zoom, and a screen that stays awake.

const LENS = "phone.lens";
const FILM = { width: { ideal: 1280 }, height: { ideal: 720 } };
// people hold a label across a few centimetres; a phone near enough for more than twice is out of focus
const ZOOM = 2;

export const hasCamera = () => Boolean(navigator.mediaDevices?.getUserMedia);

// Shows the film in `video` until the page is left. Raises what getUserMedia raises (no camera, not allowed).
/** @param {HTMLVideoElement} video @returns {Promise<ScanCamera>} */
export async function openCamera(video) {
  /** @type {ScanCamera} */
  const camera = { video, stream: await openStream(), zoom: 1, isCropped: false, isSwitching: false, isStopped: false, letGo };
  // nobody waits for it
  const wake = navigator.wakeLock?.request("screen").catch(() => null);
  const watch = new MutationObserver(() => !video.isConnected && stop(camera));
  watch.observe(document.body, { childList: true, subtree: true });
  const hide = () => document.visibilityState === "hidden" && stop(camera);
  document.addEventListener("visibilitychange", hide);
  // the page may have gone while the camera opened
  if (video.isConnected) await play(camera);
  else stop(camera);
  return camera;

  function letGo() {
    wake?.then((lock) => lock?.release()).catch(() => {});
    watch.disconnect();
    document.removeEventListener("visibilitychange", hide);
  }
}

// iOS may give the ultra-wide lens for "environment", so the one that was chosen is remembered; one that no longer starts
// is forgotten.
/** @param {string | null} [deviceId] @returns {Promise<MediaStream>} */
async function openStream(deviceId = localStorage.getItem(LENS)) {
  try {
    return await openLens(deviceId);
  } catch (problem) {
    // who allows no camera allows no other lens
    if (!deviceId || /** @type {Error} */ (problem).name === "NotAllowedError") throw problem;
    localStorage.removeItem(LENS);
    return openLens(null);
  }
}

/** @param {string | null} deviceId */
function openLens(deviceId) {
  const lens = deviceId ? { deviceId: { exact: deviceId } } : { facingMode: { ideal: "environment" } };
  return navigator.mediaDevices.getUserMedia({ audio: false, video: { ...lens, ...FILM } });
}

/** @param {ScanCamera} camera */
async function play({ video, stream }) {
  video.srcObject = stream;
  await video.play().catch(() => {});
}

/** @param {ScanCamera} camera */
const trackOf = ({ stream }) => stream.getVideoTracks()[0];
/** @param {ScanCamera} camera @returns {MediaTrackCapabilities} */
const canDo = (camera) => trackOf(camera).getCapabilities?.() ?? {};
/** @param {ScanCamera} camera */
export const isOpen = ({ stream, isSwitching, isStopped }) => !isStopped && (isSwitching || stream.active);

/** @param {ScanCamera} camera */
export function stop(camera) {
  camera.isStopped = true;
  for (const track of camera.stream.getTracks()) track.stop();
  camera.video.srcObject = null;
  camera.letGo();
}

/** @param {ScanCamera} camera */
export const hasTorch = (camera) => Boolean(canDo(camera).torch);

/** @param {ScanCamera} camera @param {boolean} on */
export async function setTorch(camera, on) {
  await trackOf(camera).applyConstraints({ advanced: [{ torch: on }] });
}

// By the lens where it can, else by cutting out the middle.
/** @param {ScanCamera} camera @param {boolean} on */
export async function setZoom(camera, on) {
  const most = canDo(camera).zoom?.max ?? 1;
  camera.zoom = on ? ZOOM : 1;
  camera.isCropped = on && most < ZOOM;
  camera.video.classList.toggle("scan-cropped", camera.isCropped);
  if (most >= ZOOM) await trackOf(camera).applyConstraints({ advanced: [{ zoom: camera.zoom }] });
}

export async function listLenses() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind }) => kind === "videoinput");
}

// The next of the phone's lenses, from now on; the one before stays where that does not start.
/** @param {ScanCamera} camera */
export async function switchLens(camera) {
  if (camera.isSwitching) return;
  camera.isSwitching = true;
  try {
    await openNextLens(camera);
  } finally {
    camera.isSwitching = false;
  }
}

/** @param {ScanCamera} camera */
async function openNextLens(camera) {
  const all = await listLenses();
  const now = trackOf(camera).getSettings().deviceId;
  const next = all[(all.findIndex(({ deviceId }) => deviceId === now) + 1) % all.length];
  // many phones open one lens at a time
  for (const track of camera.stream.getTracks()) track.stop();
  try {
    camera.stream = await openLens(next.deviceId);
    localStorage.setItem(LENS, next.deviceId);
  } catch (problem) {
    console.warn("the next lens does not start:", problem);
    camera.stream = await openStream(now);
  }
  // closed in the meantime
  if (camera.isStopped) stop(camera);
  else await play(camera);
}

// What the film shows now, on `canvas`; false while there is nothing.
/** @param {ScanCamera} camera @param {HTMLCanvasElement} canvas */
export function grabFrame({ video, isCropped }, canvas) {
  const [width, height] = [video.videoWidth, video.videoHeight];
  if (!width || video.readyState < 2) return false;
  const part = isCropped ? 1 / ZOOM : 1;
  canvas.width = width;
  canvas.height = height;
  /** @type {[number, number, number, number]} */
  const from = [(width * (1 - part)) / 2, (height * (1 - part)) / 2, width * part, height * part];
  canvasContext(canvas).drawImage(video, ...from, 0, 0, width, height);
  return true;
}

/** @param {HTMLCanvasElement} canvas @returns {CanvasRenderingContext2D} */
export const canvasContext = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
