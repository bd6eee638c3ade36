// What is half typed: kept on this phone under its address with every keystroke, and gone once it is answered.

import { asked, kept, write } from "./store.js";

const NAME = (address) => `draft ${address}`;
const known = new Map();
let writing = null;
let waiting = new Map();

// {field: text} of this address, or null. What was typed a moment ago is known before it is on the disk.
export async function draftAt(address) {
  if (!known.has(address)) known.set(address, (await kept(NAME(address))) ?? null);
  return known.get(address);
}

export function keepDraft(address, fields) {
  known.set(address, { ...known.get(address), ...fields });
  waiting.set(address, known.get(address));
  return written();
}

export function dropDraft(address) {
  known.set(address, null);
  waiting.set(address, null);
  return written();
}

// One transaction at a time: a fast thumb puts a draft off by one keystroke, never by a pause.
function written() {
  writing ??= writeAll().finally(() => {
    writing = null;
  });
  return writing;
}

async function writeAll() {
  while (waiting.size) {
    const now = waiting;
    waiting = new Map();
    await write("kept", ({ kept: store }) => {
      const put = ([address, fields]) => (fields ? store.put(fields, NAME(address)) : store.delete(NAME(address)));
      return Promise.all([...now].map(put).map(asked));
    });
  }
}
