// zxing as WebAssembly, from what the service worker keeps. `read` is quick and synchronous.

const VENDORED = new URL("../../../vendor/zxing/", import.meta.url);
let loading = null;

// read(grey, formats, {harder}) → texts. `harder` looks for turned and very large codes too.
export function reader(wasm) {
  loading ??= load(wasm).catch((problem) => {
    loading = null;
    throw problem;
  });
  return loading;
}

async function load(wasmBinary) {
  const zxing = await import(new URL("reader.js", VENDORED));
  const overrides = wasmBinary ? { wasmBinary } : { locateFile: (name) => new URL(name, VENDORED).href };
  const module = await zxing.prepareZXingModule({ overrides, fireImmediately: true });
  return (grey, formats, { harder = true } = {}) => texts(module, grey, optionsOf(zxing, formats, harder));
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

function texts(module, { data, width, height }, options) {
  const place = module._malloc(data.length);
  try {
    module.HEAPU8.set(data, place);
    const found = module.readBarcodesFromPixmap(place, width, height, options);
    return Array.from({ length: found.size() }, (_nothing, at) => found.get(at).text);
  } finally {
    module._free(place);
  }
}
