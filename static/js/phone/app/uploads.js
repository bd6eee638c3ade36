// The pictures of the queue: which one goes next, over which network, and what became of it.

import { sentDirectly } from "./direct.js";
import * as queue from "./queue.js";
import * as server from "./server.js";
import { keep, kept } from "./store.js";
import { _ } from "./words.js";

// how often each picture was cut off since this page was opened
const cuts = new Map();
const OVER_MOBILE = "photos_over_mobile";
// how often each arrived as other bytes than those that are here
const damages = new Map();
const MOST_DAMAGES = 3;

// The row of the next picture, or null. One that fails again and again does not stand before the others.
export async function nextPhoto(rows) {
  const photos = queue.waiting(rows).filter((row) => row.announced && row.photo);
  if (!photos.length && (await isOverMobile())) await keep(OVER_MOBILE, false);
  if (!photos.length || !(await mayTakePhotos())) return null;
  return photos.reduce((best, row) => (cutsOf(row) < cutsOf(best) ? row : best));
}

const cutsOf = (row) => cuts.get(row.photo) ?? 0;

// The switch is for pictures only. Where the phone does not say how it is connected, it counts as Wi-Fi.
export async function mayTakePhotos() {
  if ((await isOverMobile()) || !(await isWifiOnly())) return true;
  const kind = navigator.connection?.type;
  return kind === undefined || kind === "wifi" || kind === "ethernet" || kind === "unknown";
}

export function isWifiOnly() {
  return kept("photos_on_wifi_only").then(Boolean);
}

// Until none waits any more, also when the page is opened anew or the worker sends.
export const overMobile = () => keep(OVER_MOBILE, true);

const isOverMobile = () => kept(OVER_MOBILE).then(Boolean);

// `onProgress` hears how much of it is there, from 0 to 1. Raises what server.js raises.
export async function sendPhoto(row, onProgress) {
  onProgress(0);
  const picture = await queue.picture(row.photo);
  const problems = picture?.bytes ? await put(row, picture.bytes, onProgress) : gone();
  if (problems.length) await queue.refusePhoto(row.at, problems);
  else await queue.photoStored(row.at);
}

async function put(row, bytes, onProgress) {
  try {
    if (await sentDirectly(row, bytes, onProgress)) return [];
    const problems = await server.sendPhoto(row.photo, bytes, onProgress);
    // damaged on the way: it goes again; what lies here damaged is refused in the end
    if (isDamaged(problems) && mayGoAgain(row)) throw new server.NotReached("damaged on the way");
    return problems;
  } catch (problem) {
    cuts.set(row.photo, cutsOf(row) + 1);
    throw problem;
  }
}

const isDamaged = (problems) => problems.some(({ code }) => code === "hash_differs");

// Counted apart from what was cut off: a lost signal says nothing of the bytes.
function mayGoAgain({ photo }) {
  const before = damages.get(photo) ?? 0;
  damages.set(photo, before + 1);
  return before < MOST_DAMAGES;
}

// The browser has cleaned up. It is said, and holds nothing else back.
function gone() {
  const message = _("This photo is not on the phone any more. Take it again.");
  return [{ code: "photo_gone", where: "photo", message, blocks: true }];
}
