// Records what the engineer taps: written to the queue on this phone first, then the screen moves on. Nothing here
// waits for the network.

import * as queue from "./queue.js";
import { currentPosition } from "./geolocation.js";
import { StorageFull } from "./database.js";
import { render } from "./router.js";
import { applyQueue } from "./optimistic_state.js";
import { _ } from "./i18n.js";

export const HOLD_MS = 21_000;
const NO_FIX_YET = { missing_because: "phone closed before a fix" };
// A picture's place was asked for when the camera opened; what is said after it does not wait for satellites.
const PICTURE_HOLD_MS = 5_000;
const NO_FIX_IN_TIME = { missing_because: "no fix when it was sent" };

let isBusy = false;
let lastProblems = { address: "", problems: [] };

// Wraps what a button does: one tap at a time, and a full phone is said in words.
export function onTap(work) {
  return async (event) => {
    event?.preventDefault?.();
    if (isBusy) return;
    isBusy = true;
    try {
      await work(event);
    } catch (problem) {
      await showFailure(problem);
    } finally {
      isBusy = false;
    }
  };
}

const showFailure = (problem) => showProblems([failureProblem(problem)]);

function failureProblem(problem) {
  if (problem instanceof StorageFull) {
    return { message: _("This phone is full, so this was not saved. Earlier work is safe. Free up space and try again."), url: "/phone/queue/" };
  }
  console.error(problem);
  return { message: _("Something went wrong and this was not saved. Earlier work is safe. Please try again.") };
}

// taps: [{kind, body, picture?, holdUntil?}, …], all or none. Gives {job, matrix} as they stand afterwards.
export async function recordActions(job, taps) {
  const rows = await queue.addAll(taps.map((one) => ({ ...one, job: job.id })));
  lastProblems = { address: "", problems: [] };
  return { ...(await latestJob(job)), rows };
}

// The job as it is now: a page may have been drawn before the last tap or the last news.
export async function latestJob(job) {
  const { day: told, rows } = await queue.readDayAndRows();
  const day = applyQueue(told, rows);
  const now = day.jobs.find(({ id }) => id === job.id) ?? job;
  return { job: now, matrix: day.matrices[now.matrix] };
}

// On my way, on site: kept at once without a position, which is put in when it comes.
export async function recordWithPosition(job, kind) {
  const after = await recordActions(job, [{ kind, body: { position: NO_FIX_YET }, holdUntil: Date.now() + HOLD_MS }]);
  fillPosition(after.rows[0].at, currentPosition());
  return after;
}

// `taken` is what camera/photo_field.js gives; `first` and `then` are taps that are kept together with the picture.
export async function recordWithPhoto(job, { picture, body, position = null }, { first = [], then = [] }) {
  const announced = { kind: "photo_taken", body: { ...body, position: NO_FIX_IN_TIME }, picture, holdUntil: Date.now() + PICTURE_HOLD_MS };
  const after = await recordActions(job, [...first, announced, ...then]);
  fillPosition(after.rows[first.length].at, position ?? currentPosition());
  return after;
}

async function fillPosition(at, coming) {
  try {
    const position = await coming;
    await queue.updateRow(at, (row) => withPosition(row, position));
  } catch (problem) {
    console.error(problem);
  }
}

// A page that was left before its position came took the asking with it; its messages are held until they are too old.
export async function resumePositions() {
  const held = queue.pendingRows(await queue.rows()).filter((row) => row.hold_until > Date.now());
  if (!held.length) return;
  const coming = currentPosition();
  await Promise.all(held.map(({ at }) => fillPosition(at, coming)));
}

// It may be on its way to the server already: then it stays as it was said.
function withPosition(row, position) {
  if (row.state !== queue.PENDING || row.hold_until <= Date.now()) return row;
  return { ...row, hold_until: 0, entry: { ...row.entry, body: { ...row.entry.body, position } } };
}

// For what a tap does not supersede by itself (queue_states.js): a picture that is taken anew, an answer that stays as it was.
export function dropRefused(job, isSame) {
  return Promise.all(job.refused.filter(({ entry }) => isSame(entry)).map(({ at }) => queue.updateRow(at, () => null)));
}

// --- what is wrong with what was just tapped: shown at the top and at the field until it is mended ---

// problems: [{message, url, field?, code?}]
export function showProblems(problems) {
  lastProblems = { address: location.pathname, problems };
  return render({ moved: true });
}

// What is typed anew is judged anew: nothing of the last tap is said any more of this field of the page shown.
export function clearProblem(field) {
  if (lastProblems.address === location.pathname) lastProblems.problems = lastProblems.problems.filter((one) => one.field !== field);
}

export function problemsAt(path) {
  if (lastProblems.address !== path) lastProblems = { address: "", problems: [] };
  return lastProblems.problems;
}
