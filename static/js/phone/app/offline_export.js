// The offline export: everything that the office does not have yet, in one file that the office imports
// (phone/offline_import_views.py). It may be imported twice, and the phone may send the same later: nothing is duplicated.
// It is signed with the key that came with the day, which proves that this phone wrote it; each photo is named in its
// entry by its hash.

import * as queue from "./queue.js";

const FORMAT = "fibre-dispatch-offline-export/1";
const AT_ONCE = 0x8000;

// A file for a download. Each picture is a piece of its own: no string of a whole day's photos is ever made.
/** @param {PhoneOwner} owner @param {string | undefined} version */
export async function buildExportFile({ engineer, name, export_key: key }, version) {
  const rows = (await queue.releaseHeldRows()).filter(({ state }) => state !== queue.SYNCED);
  const head = { engineer, name, made_at: new Date().toISOString(), version, entries: rows.map(exportEntry) };
  const signed = JSON.stringify(head);
  const outer = { format: FORMAT, signature: await signatureOf(signed, key), signed };
  const pieces = [JSON.stringify(outer).slice(0, -1), ',"photos":['];
  let between = "";
  for (const { photo } of rows) {
    const picture = photo && (await queue.getPhoto(photo));
    if (!picture) continue;
    pieces.push(between + JSON.stringify(exportPhoto(picture)));
    between = ",";
  }
  pieces.push("]}");
  return new File(pieces, fileName(engineer, head.made_at), { type: "application/json" });
}

// Empty when this phone has no key yet: the office then wants a supervisor.
/** @param {string} text @param {string | undefined} key */
async function signatureOf(text, key) {
  if (!key || !globalThis.crypto?.subtle) return "";
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", bytesOf(key), algorithm, false, ["sign"]);
  return hex(new Uint8Array(await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text))));
}

/** @param {string} text */
const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** @param {Uint8Array} bytes */
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {QueueRow} row */
const exportEntry = ({ entry, state, problems }) => ({ entry, state, problems });

/** @param {Picture} photo */
function exportPhoto({ id, sha256, bytes }) {
  return { id, sha256, bytes: base64(new Uint8Array(bytes)) };
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}

/** @param {string} engineer @param {string} at */
const fileName = (engineer, at) => `offline-export-${engineer}-${at.slice(0, 16).replace(/[:T]/g, "-")}.json`;

/** @param {File} file */
export function downloadFile(file) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {File} file */
export const canShare = (file) => Boolean(navigator.canShare?.({ files: [file] }));
