// Uploads the photos of the queue: which one is next, over which network, and with what result.

import * as server from "./api_client.js";
import { setValue, getValue } from "./database.js";
import { _ } from "./i18n.js";
import { isInAnswer } from "./optimistic_state.js";
import * as queue from "./queue.js";

const OVER_MOBILE = "photos_over_mobile";
const DIRECT_SECONDS = 180;
const MOST_DAMAGES = 3;
// this many cuts more than a photo that no answer names, and one that a closing may wait for comes after it
const MORE_CUTS = 3;
// how often each photo was cut off since this page was opened
/** @type {Map<string, number>} */
const cuts = new Map();
// how often each arrived as other bytes than those that are here
/** @type {Map<string, number>} */
const damages = new Map();
// a bucket that does not answer this page is not asked for ever; until the page is opened again
let directChances = 3;

// The row of the next photo, or null. One that no answer names comes after those that a closing may wait for; one that fails
// again and again does not stand before any other.
/** @param {QueueRow[]} rows @param {Job[]} jobs as they stand here @returns {Promise<PhotoRow | null>} */
export async function nextPhoto(rows, jobs) {
  const photos = /** @type {PhotoRow[]} */ (queue.pendingRows(rows).filter((row) => row.announced && row.photo));
  if (!photos.length && (await isMobileDataAllowed())) await setValue(OVER_MOBILE, false);
  if (!photos.length || !(await mayUploadPhotos())) return null;
  /** @param {PhotoRow} row */
  const orderOf = (row) => cutsOf(row) - (isInAnswer(row, jobs) ? MORE_CUTS : 0);
  return photos.reduce((best, row) => (orderOf(row) < orderOf(best) ? row : best));
}

/** @param {PhotoRow} row */
const cutsOf = (row) => cuts.get(row.photo) ?? 0;

// The switch is for photos only. Where the phone does not report its connection, it counts as Wi-Fi.
export async function mayUploadPhotos() {
  if ((await isMobileDataAllowed()) || !(await isWifiOnly())) return true;
  const kind = navigator.connection?.type;
  return kind === undefined || kind === "wifi" || kind === "ethernet" || kind === "unknown";
}

export function isWifiOnly() {
  return getValue("photos_on_wifi_only").then(Boolean);
}

// Until none waits any more, also when the page is reopened or the worker sends.
export const allowMobileData = () => setValue(OVER_MOBILE, true);

const isMobileDataAllowed = () => getValue(OVER_MOBILE).then(Boolean);

// `onProgress` receives how much of it is sent, from 0 to 1. Raises what api_client.js raises.
/** @param {PhotoRow} row @param {string} engineer whose queue this is @param {(part: number) => void} onProgress */
export async function sendPhoto(row, engineer, onProgress) {
  onProgress(0);
  const picture = await queue.getPhoto(row.photo);
  const problems = picture?.bytes ? await upload(row, engineer, picture.bytes, onProgress) : missingBytes();
  if (problems.length) await queue.rejectPhoto(row.at, problems);
  else await queue.markPhotoStored(row.at);
}

// Gives the problems of a refusal, or none.
/** @param {PhotoRow} row @param {string} engineer @param {ArrayBuffer} bytes @param {(part: number) => void} onProgress */
async function upload(row, engineer, bytes, onProgress) {
  try {
    if (await uploadDirectly(row, engineer, bytes, onProgress)) return [];
    const problems = await server.uploadPhoto(server.photoUrl(row.photo, engineer), bytes, onProgress);
    // damaged on the way: it is sent again; what is damaged on this phone is refused in the end
    if (isDamaged(problems) && mayRetry(row)) throw new server.Unreachable("damaged on the way");
    return problems;
  } catch (problem) {
    cuts.set(row.photo, cutsOf(row) + 1);
    throw problem;
  }
}

/** @param {Problem[]} problems */
const isDamaged = (problems) => problems.some(({ code }) => code === "hash_differs");

// Counted apart from what was cut off: a lost signal is no fault of the bytes.
/** @param {PhotoRow} row */
function mayRetry({ photo }) {
  const before = damages.get(photo) ?? 0;
  damages.set(photo, before + 1);
  return before < MOST_DAMAGES;
}

// The browser has cleaned up. It is reported, and holds nothing else back.
function missingBytes() {
  const message = _("This photo is no longer on the phone. Take it again.");
  return [{ code: "photo_gone", where: "photo", message, blocks: true }];
}

// Straight into the object storage, by a URL that our server presigned; whether the server has it from there. Where that
// is not offered, or does not work from here, the photo goes through the server.
/** @param {PhotoRow} row @param {string} engineer @param {ArrayBuffer} bytes @param {(part: number) => void} onProgress */
async function uploadDirectly({ photo: id }, engineer, bytes, onProgress) {
  if (!directChances || !globalThis.XMLHttpRequest) return false;
  const { url, headers } = await jsonOf(await server.request(`${server.photoUrl(id, engineer, "/address")}&size=${bytes.byteLength}`));
  if (!url) return directFailed(directChances);
  if (!(await putObject(url, headers, bytes, onProgress))) return directFailed(1);
  const confirmed = await server.request(server.photoUrl(id, engineer, "/put"), { method: "POST" });
  return Boolean((await jsonOf(confirmed)).stored);
}

/** @param {number} cost */
function directFailed(cost) {
  directChances -= cost;
  return false;
}

/** @param {Response} answer */
const jsonOf = (answer) => answer.json().catch(() => ({}));

/** @param {string} url @param {Record<string, string>} headers @param {ArrayBuffer} bytes @param {(part: number) => void} onProgress @returns {Promise<boolean>} */
function putObject(url, headers, bytes, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.timeout = DIRECT_SECONDS * 1000;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.ontimeout = request.onerror = request.onabort = () => resolve(false);
    request.onload = () => resolve(request.status < 300);
    request.send(bytes);
  });
}
