// Room for thirty pictures that is kept free on the phone by being taken. Chromium tells every page that ten gigabytes
// are left, whatever the phone has; so the reserve is what notices first: when it finds no place, or a tap needs its
// place, the engineer is told, and the taps still have it.

import { asked, kept, keep, onFull, write } from "./store.js";

const NAME = "reserve";
const BYTES = 12_000_000;
// what crypto fills at once
const PIECE = 65_536;

let given = false;
let listener = () => {};

// `heard(isShort)` whenever it becomes known. Raises what is no lack of room.
export async function watchReserve(heard) {
  listener = heard;
  onFull(giveUp);
  await takeReserve();
}

// Tried again when something was sent: there may be room now.
export async function takeReserve() {
  try {
    given = true;
    if (!(await kept(NAME))) await keep(NAME, noise());
    given = false;
  } catch (problem) {
    if (problem.name !== "Full") throw problem;
  }
  listener(given);
}

// Noise, because browsers make zeros small.
function noise() {
  const bytes = new Uint8Array(BYTES);
  for (let at = 0; at < BYTES; at += PIECE) crypto.getRandomValues(bytes.subarray(at, Math.min(BYTES, at + PIECE)));
  return bytes.buffer;
}

async function giveUp() {
  if (given) return false;
  given = true;
  await write("kept", ({ kept: store }) => asked(store.delete(NAME)));
  listener(given);
  return true;
}
