// Where an entry of the queue stands (queue.js says what it holds). Pure.

// only on this phone
export const HERE = "here";
// the server has it
export const SAFE = "safe";
// the server has it and did not apply it
export const REFUSED = "refused";

export function waiting(rows) {
  return rows.filter((row) => row.state === HERE);
}

export function refused(rows) {
  return rows.filter((row) => row.state === REFUSED);
}
