// What a tap does: it is on this phone for good, and then the screen moves. Nothing here waits for the network.

import * as queue from "./queue.js";
import { currentPosition } from "./geolocation.js";
import { Full } from "./database.js";
import { show } from "./router.js";
import { laidOver } from "./optimistic_state.js";
import { _ } from "./i18n.js";

export const HOLD_MS = 21_000;
const NO_FIX_YET = { missing_because: "phone closed before a fix" };
// A picture's place was asked for when the camera opened; what is said after it does not wait for satellites.
const PICTURE_HOLD_MS = 5_000;
const NO_FIX_IN_TIME = { missing_because: "no fix when it was sent" };

let isBusy = false;
let slip = { address: "", problems: [] };

// Wraps what a button does: one tap at a time, and a full phone is said in words.
export function once(work) {
  return async (event) => {
    event?.preventDefault?.();
    if (isBusy) return;
    isBusy = true;
    try {
      await work(event);
    } catch (problem) {
      await sayTrouble(problem);
    } finally {
      isBusy = false;
    }
  };
}

const sayTrouble = (problem) => refuse([inWords(problem)]);

function inWords(problem) {
  if (problem instanceof Full) {
    return { message: _("This phone is full, so that was not kept. Nothing from before is lost. Make room, then do it again."), url: "/phone/queue/" };
  }
  console.error(problem);
  return { message: _("Something went wrong here, so that was not kept. Nothing from before is lost. Do it again.") };
}

// taps: [{kind, body, picture?, holdUntil?}, …], all or none. Gives {job, matrix} as they stand afterwards.
export async function tap(job, taps) {
  const rows = await queue.addAll(taps.map((one) => ({ ...one, job: job.id })));
  slip = { address: "", problems: [] };
  return { ...(await standing(job)), rows };
}

// The job as it is now: a page may have been drawn before the last tap or the last news.
export async function standing(job) {
  const { day: told, rows } = await queue.dayAndRows();
  const day = laidOver(told, rows);
  const now = day.jobs.find(({ id }) => id === job.id) ?? job;
  return { job: now, matrix: day.matrices[now.matrix] };
}

// On my way, on site: kept at once without a position, which is put in when it comes.
export async function tapWithPosition(job, kind) {
  const after = await tap(job, [{ kind, body: { position: NO_FIX_YET }, holdUntil: Date.now() + HOLD_MS }]);
  fillPosition(after.rows[0].at, currentPosition());
  return after;
}

// `taken` is what camera/photo_field.js gives; `first` and `then` are taps that are kept together with the picture.
export async function tapWithPicture(job, { picture, body, position = null }, { first = [], then = [] }) {
  const announced = { kind: "photo_taken", body: { ...body, position: NO_FIX_IN_TIME }, picture, holdUntil: Date.now() + PICTURE_HOLD_MS };
  const after = await tap(job, [...first, announced, ...then]);
  fillPosition(after.rows[first.length].at, position ?? currentPosition());
  return after;
}

async function fillPosition(at, coming) {
  try {
    const position = await coming;
    await queue.amend(at, (row) => withPosition(row, position));
  } catch (problem) {
    console.error(problem);
  }
}

// A page that was left before its position came took the asking with it; its messages are held until they are too old.
export async function askAgainForPositions() {
  const held = queue.waiting(await queue.rows()).filter((row) => row.hold_until > Date.now());
  if (!held.length) return;
  const coming = currentPosition();
  await Promise.all(held.map(({ at }) => fillPosition(at, coming)));
}

// It may be on its way to the server already: then it stays as it was said.
function withPosition(row, position) {
  if (row.state !== queue.HERE || row.hold_until <= Date.now()) return row;
  return { ...row, hold_until: 0, entry: { ...row.entry, body: { ...row.entry.body, position } } };
}

// For what a tap does not supersede by itself (queue_states.js): a picture that is taken anew, an answer that stays as it was.
export function replaceRefused(job, isSame) {
  return Promise.all(job.refused.filter(({ entry }) => isSame(entry)).map(({ at }) => queue.amend(at, () => null)));
}

// --- what is wrong with what was just tapped: shown at the top and at the field until it is mended ---

// problems: [{message, url, field?, code?}]
export function refuse(problems) {
  slip = { address: location.pathname, problems };
  return show({ moved: true });
}

// What is typed anew is judged anew: nothing of the last tap is said any more of this field of the page shown.
export function forgetSlip(field) {
  if (slip.address === location.pathname) slip.problems = slip.problems.filter((one) => one.field !== field);
}

export function slipAt(path) {
  if (slip.address !== path) slip = { address: "", problems: [] };
  return slip.problems;
}
