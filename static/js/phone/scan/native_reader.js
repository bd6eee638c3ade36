// The browser's own barcode reader where it is good: Chrome on Android uses the system's. Elsewhere it is missing,
// slow, or does not know the three kinds of code.

const FORMATS = ["qr_code", "data_matrix", "code_128"];

// read(canvas) → codes, {text, isSure} each as in zxing.js, or null where there is none. It does not report how large a
// module is, so none of its readings counts alone.
/** @returns {Promise<((canvas: HTMLCanvasElement) => Promise<ScannedCode[]>) | null>} */
export async function createNativeReader() {
  if (!("BarcodeDetector" in globalThis) || !/Android/.test(navigator.userAgent)) return null;
  const known = await BarcodeDetector.getSupportedFormats().catch(() => /** @type {string[]} */ ([]));
  if (!FORMATS.every((format) => known.includes(format))) return null;
  const detector = new BarcodeDetector({ formats: FORMATS });
  // it may fail for a frame; the other reader looks at each anyway
  return (canvas) => detector.detect(canvas).then((found) => found.map(codeOf), () => []);
}

/** @param {DetectedBarcode} found @returns {ScannedCode} */
const codeOf = ({ rawValue }) => ({ text: rawValue, isSure: false });
