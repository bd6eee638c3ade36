// Detects the format of an image file and whether it is complete, by its first and last bytes. Pure. The server decodes
// it in full (closures/photos/image_validation.py); what it would refuse anyway is refused here, while the engineer is at the
// premises.

const HEIC_BRANDS = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"]);
const PNG = "\x89PNG\r\n\x1a\n";
const [MARKER, START_OF_SCAN, END_OF_IMAGE] = [0xff, 0xda, 0xd9];

/** @param {Uint8Array} bytes @param {number} from @param {number} to */
const text = (bytes, from, to) => String.fromCharCode(...bytes.subarray(from, to));

// "jpeg", "png", "webp", "heic", or "" for anything else.
/** @param {Uint8Array} bytes @returns {"jpeg" | "png" | "webp" | "heic" | ""} */
export function detectFormat(bytes) {
  if (bytes[0] === MARKER && bytes[1] === 0xd8 && bytes[2] === MARKER) return "jpeg";
  if (text(bytes, 0, 8) === PNG) return "png";
  if (text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP") return "webp";
  return text(bytes, 4, 8) === "ftyp" && HEIC_BRANDS.has(text(bytes, 8, 12)) ? "heic" : "";
}

// `code`, as `fileProblem` gives it: why the server would refuse this file.
export class InvalidImage extends Error {
  /** @param {ImageProblem} code */
  constructor(code) {
    super(code);
    this.code = code;
  }
}

// "empty", "wrong_type", "unreadable" (cut off), or "" where nothing speaks against it; the codes of the server.
/** @param {Uint8Array} bytes @returns {ImageProblem | ""} */
export function fileProblem(bytes) {
  if (!bytes.length) return "empty";
  const format = detectFormat(bytes);
  if (!format) return "wrong_type";
  return IS_WHOLE[format](bytes) ? "" : "unreadable";
}

const IS_WHOLE = { jpeg: isWholeJpeg, png: isWholePng, webp: isWholeWebp, heic: isWholeHeic };

/** @param {Uint8Array} bytes @param {number} at @param {boolean} [isLittleEndian] */
const number = (bytes, at, isLittleEndian = false) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, isLittleEndian);

// The end must follow the image's own data: the small picture in a camera's header has an end of its own, and a phone
// may append a film.
/** @param {Uint8Array} bytes */
function isWholeJpeg(bytes) {
  let at = 2;
  while (at + 3 < bytes.length && bytes[at] === MARKER && bytes[at + 1] !== START_OF_SCAN) {
    at += bytes[at + 1] === MARKER ? 1 : 2 + bytes[at + 2] * 256 + bytes[at + 3];
  }
  for (let end = bytes.indexOf(END_OF_IMAGE, at); end > 0; end = bytes.indexOf(END_OF_IMAGE, end + 1)) {
    if (bytes[end - 1] === MARKER) return true;
  }
  return false;
}

// Chunks of a length, a name, so many bytes and a checksum, the last one named IEND. What follows it is not looked at.
/** @param {Uint8Array} bytes */
function isWholePng(bytes) {
  let at = PNG.length;
  while (at + 12 <= bytes.length) {
    if (text(bytes, at + 4, at + 8) === "IEND") return true;
    at += 12 + number(bytes, at);
  }
  return false;
}

/** @param {Uint8Array} bytes */
function isWholeWebp(bytes) {
  return bytes.length >= 12 && number(bytes, 4, true) + 8 <= bytes.length;
}

// Boxes of a length and a name, the pixels in one named mdat; a length of 0 reaches to the end, of 1 is written in 64
// bits behind the name. What a phone appends behind the last box is not looked at.
/** @param {Uint8Array} bytes */
function isWholeHeic(bytes) {
  let hasPixels = false;
  let at = 0;
  while (at + 16 <= bytes.length) {
    const length = number(bytes, at);
    const size = length === 1 ? number(bytes, at + 8) * 2 ** 32 + number(bytes, at + 12) : length;
    hasPixels ||= text(bytes, at + 4, at + 8) === "mdat";
    if (size < 8) return hasPixels;
    at += size;
  }
  return hasPixels && at <= bytes.length;
}
