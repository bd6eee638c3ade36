// zxing as WebAssembly, from what the service worker keeps. `read` is quick and synchronous.

const VENDORED = new URL("../../../vendor/zxing/", import.meta.url);
// modules of fewer pixels than this are read twice alike before they count
const SURE_MODULE = 2;
let loading = null;

// read(grey, formats, {harder, zoom}) → codes, {text, isSure} each: one that is sure counts at once. `harder` looks for
// turned and very large codes too; `zoom` says how much larger the picture was made.
export function loadReader(wasm) {
  loading ??= load(wasm).catch((problem) => {
    loading = null;
    throw problem;
  });
  return loading;
}

async function load(wasmBinary) {
  const zxing = await import(new URL("reader.js", VENDORED).href);
  const overrides = wasmBinary ? { wasmBinary } : { locateFile: (name) => new URL(name, VENDORED).href };
  const module = await zxing.prepareZXingModule({ overrides, fireImmediately: true });
  return (grey, formats, { harder = true, zoom = 1 } = {}) =>
    codesOf(module, grey, optionsOf(zxing, formats, harder)).map((code) => (
      { text: code.text, isSure: moduleSize(code) >= SURE_MODULE * zoom }
    ));
}

// As share.js of zxing-wasm writes them: its own function takes colours, which would be made only to be unmade.
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

function codesOf(module, { data, width, height }, options) {
  const place = module._malloc(data.length);
  try {
    module.HEAPU8.set(data, place);
    const found = module.readBarcodesFromPixmap(place, width, height, options);
    return Array.from({ length: found.size() }, (_nothing, at) => found.get(at));
  } finally {
    module._free(place);
  }
}

// A module's edge in pixels, along the code's shorter side; of a bar code nobody knows it.
export function moduleSize({ format, symbol, position: { topLeft, topRight, bottomLeft } }) {
  if (format === "Code128") return 0;
  const to = (corner) => Math.hypot(corner.x - topLeft.x, corner.y - topLeft.y);
  return Math.min(to(topRight) / symbol.width, to(bottomLeft) / symbol.height);
}
