// zxing as WebAssembly, from what the service worker keeps. `read` is quick and synchronous.

const VENDORED = new URL("../../../vendor/zxing/", import.meta.url);
// modules of fewer pixels than this are read twice alike before they count
const SURE_MODULE = 2;
/** @type {Promise<CodeReader> | null} */
let loading = null;

// read(grey, formats, {harder, zoom}) → codes, {text, isSure} each: one that is sure counts at once. `harder` looks for
// turned and very large codes too; `zoom` is the factor by which the picture was enlarged.
/** @param {ArrayBuffer} [wasm] */
export function loadReader(wasm) {
  loading ??= load(wasm).catch((problem) => {
    loading = null;
    throw problem;
  });
  return loading;
}

/** @param {ArrayBuffer} [wasmBinary] @returns {Promise<CodeReader>} */
async function load(wasmBinary) {
  /** @type {ZxingModule} */
  const zxing = await import(new URL("reader.js", VENDORED).href);
  const overrides = wasmBinary ? { wasmBinary } : { locateFile: (/** @type {string} */ name) => new URL(name, VENDORED).href };
  const module = await zxing.prepareZXingModule({ overrides, fireImmediately: true });
  return (grey, formats, { harder = true, zoom = 1 } = {}) =>
    codesOf(module, grey, optionsOf(zxing, formats, harder)).map((code) => (
      { text: code.text, isSure: moduleSize(code) >= SURE_MODULE * zoom }
    ));
}

// As share.js of zxing-wasm writes them: its own function takes colours, which would be made only to be unmade.
/** @param {ZxingModule} zxing @param {CodeFormat[]} formats @param {boolean} harder */
function optionsOf(zxing, formats, harder) {
  return {
    ...zxing.defaultReaderOptions,
    formats: zxing.encodeFormats(formats),
    tryHarder: true,
    tryRotate: harder,
    tryDownscale: harder,
    tryInvert: false,
    binarizer: 0,
    eanAddOnSymbol: 0,
    textMode: zxing.textModes.indexOf("HRI"),
    characterSet: 0,
  };
}

/** @param {ZxingHeap} module @param {GreyPicture} grey @param {object} options @returns {ZxingCode[]} */
function codesOf(module, { data, width, height }, options) {
  const pointer = module._malloc(data.length);
  try {
    module.HEAPU8.set(data, pointer);
    const found = module.readBarcodesFromPixmap(pointer, width, height, options);
    return Array.from({ length: found.size() }, (_nothing, at) => found.get(at));
  } finally {
    module._free(pointer);
  }
}

// A module's edge in pixels, along the code's shorter side; of a bar code nobody knows it.
/** @param {Pick<ZxingCode, "format" | "symbol" | "position">} code */
export function moduleSize({ format, symbol, position: { topLeft, topRight, bottomLeft } }) {
  if (format === "Code128") return 0;
  /** @param {Point} corner */
  const to = (corner) => Math.hypot(corner.x - topLeft.x, corner.y - topLeft.y);
  return Math.min(to(topRight) / symbol.width, to(bottomLeft) / symbol.height);
}
