// Creates ids: one for each action and photo, the same however often it is sent.

// `crypto.randomUUID` exists on https and localhost only; the random bytes exist everywhere.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20].reduce((text, at, index) => `${text.slice(0, at + index)}-${text.slice(at + index)}`, hex);
}
