// What the board keeps in this browser, as JSON.

// what cannot be read (another version's, or somebody's own) counts as nothing
/** @template Value @param {Storage} storage @param {string} key @param {Value} fallback @returns {Value} */
export function readJson(storage, key, fallback) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") ?? fallback;
  } catch {
    return fallback;
  }
}

/** @param {Storage} storage @param {string} key @param {unknown} value */
export function writeJson(storage, key, value) {
  storage.setItem(key, JSON.stringify(value));
}
