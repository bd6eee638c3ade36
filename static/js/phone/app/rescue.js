// The rescue file: everything that the office does not have yet, in one file that the office reads in
// (dispatch/board/rescue.py). It may be read twice, and the phone may send the same later: nothing is doubled.

import * as queue from "./queue.js";

const FORMAT = "fibre-dispatch-rescue/1";
const AT_ONCE = 0x8000;

// A file for a download. Each picture is a piece of its own: no string of a whole day's photos is ever made.
export async function rescueFile({ engineer, name }, version) {
  const rows = (await queue.rows()).filter(({ state }) => state !== queue.SAFE);
  const head = { format: FORMAT, engineer, name, made_at: new Date().toISOString(), version, entries: rows.map(told) };
  const pieces = [JSON.stringify(head).slice(0, -1), ',"photos":['];
  let between = "";
  for (const { photo } of rows.filter(({ photo }) => photo)) {
    const picture = await queue.picture(photo);
    if (!picture) continue;
    pieces.push(between + JSON.stringify(packed(picture)));
    between = ",";
  }
  pieces.push("]}");
  return new File(pieces, fileName(engineer, head.made_at), { type: "application/json" });
}

const told = ({ entry, state, problems }) => ({ entry, state, problems });

function packed({ id, sha256, bytes }) {
  return { id, sha256, bytes: base64(new Uint8Array(bytes)) };
}

function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}

const fileName = (engineer, at) => `rescue-${engineer}-${at.slice(0, 16).replace(/[:T]/g, "-")}.json`;

export function save(file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export const canShare = (file) => Boolean(navigator.canShare?.({ files: [file] }));
