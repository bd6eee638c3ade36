// The one ordered queue of what the engineer did. An entry is on the disk before the screen moves on.
//
// {at, entry: {message_id, kind, job, occurred_at, body}, state, photo, turn, outcome, problems, hold_until}
//   state   "here": only on this phone · "safe": the server has it · "refused": it has it and did not apply it
//   photo   id of the picture whose bytes must follow (kind photo_taken), `bytes` of them
//   turn    counts up with each word of the server; a safe entry goes once a day was asked for after its turn
//           (a number of our own: a phone's clock may be set back)
//   hold_until  epoch milliseconds: a position may still be coming

import { newId } from "./ids.js";
import { HERE, REFUSED, SAFE, supersedes } from "./queue_states.js";
import { asked, read, write } from "./database.js";
import { takeOutOfAnswer } from "./answer_photos.js";

export { HERE, REFUSED, SAFE, refused, waiting } from "./queue_states.js";

const changed = new EventTarget();
const across = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("phone-queue");

// Another tab of the same engineer hears of it too.
export function onChange(listener) {
  changed.addEventListener("change", listener);
  across?.addEventListener("message", listener);
}

function tell() {
  changed.dispatchEvent(new Event("change"));
  across?.postMessage("change");
}

// One tap. `picture` = {id, bytes, sha256, …} travels with it, in the same transaction. Raises Full.
export function add(kind, job, body, { picture = null, holdUntil = 0, occurredAt = new Date() } = {}) {
  return addAll([{ kind, job, body, picture, holdUntil, occurredAt }]).then(([row]) => row);
}

// Several taps' worth that belong together: all of them are kept, or none. What the server refused of the same goes.
export async function addAll(taps) {
  const rows = taps.map(rowOf);
  const pictures = taps.map(({ picture }) => picture).filter(Boolean);
  await write(["queue", "photos"], async ({ queue, photos }) => {
    for (const picture of pictures) photos.put(picture);
    await dropSuperseded(queue, rows);
    // without the place of a first try that the phone cut off: somebody else may have it by now
    for (const row of rows) {
      delete row.at;
      row.at = await asked(queue.add(row));
    }
  });
  tell();
  return rows;
}

async function dropSuperseded(queue, rows) {
  const refused = (await asked(queue.getAll())).filter(({ state }) => state === REFUSED);
  const isSaidAnew = (old) => rows.some(({ entry }) => supersedes(entry, old.entry));
  for (const old of refused.filter(isSaidAnew)) queue.delete(old.at);
}

function rowOf({ kind, job, body, picture = null, holdUntil = 0, occurredAt = new Date() }) {
  const entry = { message_id: newId(), kind, job, occurred_at: occurredAt.toISOString(), body };
  const bytes = picture?.bytes?.byteLength ?? 0;
  return { entry, state: HERE, photo: picture?.id ?? null, bytes, hold_until: holdUntil, problems: [], outcome: "" };
}

// All rows, oldest first.
export function rows() {
  return read("queue", ({ queue }) => asked(queue.getAll()));
}

// {day, rows} as of one moment. Read one after the other, what was said in between could stand in neither: a row goes when
// the day that knows it comes (dropKnown), and an answered question would be asked again.
export function dayAndRows() {
  return read(["kept", "queue"], async ({ kept, queue }) => {
    const [day, found] = await Promise.all([asked(kept.get("day")), asked(queue.getAll())]);
    return { day, rows: found };
  });
}

export function picture(id) {
  return read("photos", ({ photos }) => asked(photos.get(id)));
}

// `change(row)` gives the new row, or null to drop it; a row that is gone meanwhile stays gone.
export async function amend(at, change) {
  await write(["queue", "photos"], async ({ queue, photos }) => {
    const row = await asked(queue.get(at));
    if (!row) return;
    const next = change(row);
    if (next) queue.put(next);
    else queue.delete(at);
    if (!next && row.photo) photos.delete(row.photo);
  });
  tell();
}

// The server has told of these messages: [{message_id, outcome, problems}, …]. Once, whoever tells it.
export async function settle(results) {
  const byId = new Map(results.map((result) => [result.message_id, result]));
  await write(["queue", "kept"], async ({ queue, kept }) => {
    const turn = await nextTurn(kept);
    for (const { at } of await asked(queue.getAll())) {
      // read anew: a photo refused before it has mended it, under a new id that nobody has told of, or taken it away
      const row = await asked(queue.get(at));
      const result = row && byId.get(row.entry.message_id);
      if (!result || row.state !== HERE) continue;
      const next = { ...row, ...settled(row, result), turn };
      queue.put(next);
      if (next.photo && next.state === REFUSED) await takeOutOfAnswer({ queue, kept }, next, rowOf);
    }
  });
  tell();
}

// The server does not take this picture, or its bytes are gone: its answer names it no more, in the same transaction.
export async function refusePhoto(at, problems) {
  await write(["queue", "kept"], async ({ queue, kept }) => {
    const row = await asked(queue.get(at));
    if (!row) return;
    queue.put({ ...row, state: REFUSED, problems });
    await takeOutOfAnswer({ queue, kept }, row, rowOf);
  });
  tell();
}

// A picture that is deleted: out of its answer, and as if it had never been taken where nobody has heard of it.
export async function dropPhoto(at) {
  await write(["queue", "photos", "kept"], async ({ queue, photos, kept }) => {
    const row = await asked(queue.get(at));
    if (!row) return;
    await takeOutOfAnswer({ queue, kept }, row, rowOf);
    if (row.announced || row.state !== HERE) return;
    queue.delete(at);
    photos.delete(row.photo);
  });
  tell();
}

async function nextTurn(kept) {
  const turn = ((await asked(kept.get("turn"))) ?? 0) + 1;
  kept.put(turn, "turn");
  return turn;
}

// Take it before the day is asked for, and give it to dropKnown with the answer.
export async function thisTurn() {
  return (await read("kept", ({ kept }) => asked(kept.get("turn")))) ?? 0;
}

function settled(row, { outcome, problems }) {
  if (outcome === "refused") return { state: REFUSED, outcome, problems };
  // a picture is safe when its bytes are there, not when it was announced
  return { state: row.photo ? HERE : SAFE, outcome, problems, announced: true };
}

// The server has the bytes. The small copy stays for the screen until the day tells of it.
export async function photoStored(at) {
  await write(["queue", "kept"], async ({ queue, kept }) => {
    const row = await asked(queue.get(at));
    if (row) queue.put({ ...row, state: SAFE, turn: await nextTurn(kept) });
  });
  tell();
}

// What a day that was asked for after this turn knows already: it need not be laid over that day any more.
// Kept together with the day, so that nothing is missing in between.
export async function dropKnown(turn, day) {
  await write(["queue", "photos", "kept"], async ({ queue, photos, kept }) => {
    const before = await asked(kept.get("day"));
    // another tab asked later and was answered sooner
    if (turn && before?.turn > turn) return;
    kept.put({ ...day, turn }, "day");
    for (const row of await asked(queue.getAll())) {
      if (row.state !== SAFE || row.turn > turn) continue;
      // what came too late moved nothing, so the day does not tell of it: its words stay until tomorrow
      if (row.outcome === "late" && before?.day === day.day) continue;
      queue.delete(row.at);
      if (row.photo) photos.delete(row.photo);
    }
  });
}
