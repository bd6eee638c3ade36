// Copies what the pages use from npm packages into static/: `npm ci --ignore-scripts && npm run vendor`.
// Two runs give the same bytes; static/vendor/MANIFEST.json says version, licence and hash of each file.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
const STATIC = join(here, "..", "static");

const COPIES = [
  ["leaflet", "dist/leaflet.js", "vendor/leaflet/leaflet.js"],
  ["leaflet", "dist/leaflet.css", "vendor/leaflet/leaflet.css"],
  ["leaflet", "dist/images/layers.png", "vendor/leaflet/images/layers.png"],
  ["leaflet", "dist/images/layers-2x.png", "vendor/leaflet/images/layers-2x.png"],
  ["leaflet", "dist/images/marker-icon.png", "vendor/leaflet/images/marker-icon.png"],
  ["leaflet", "dist/images/marker-icon-2x.png", "vendor/leaflet/images/marker-icon-2x.png"],
  ["leaflet", "dist/images/marker-shadow.png", "vendor/leaflet/images/marker-shadow.png"],
  ["leaflet", "LICENSE", "vendor/leaflet/LICENSE"],
  ["lucide-static", "LICENSE", "icons/LICENSE"],
  ["zxing-wasm", "dist/es/reader/index.js", "vendor/zxing/reader.js"],
  ["zxing-wasm", "dist/es/share.js", "vendor/zxing/share.js"],
  ["zxing-wasm", "dist/reader/zxing_reader.wasm", "vendor/zxing/zxing_reader.wasm"],
  ["zxing-wasm", "LICENSE", "vendor/zxing/LICENSE"],
];

// our name -> lucide's name
const ICONS = {
  circle: "circle", user: "user", "arrow-right": "arrow-right", house: "house", check: "check", x: "x",
  hoist: "forklift", warning: "triangle-alert", ruler: "ruler", clipboard: "clipboard-list",
  building: "building-2", users: "users", flag: "flag", phone: "phone", "map-pin": "map-pin",
  camera: "camera", clock: "clock", search: "search", inbox: "inbox", send: "send", "wifi-off": "wifi-off",
  "log-out": "log-out", "chevron-left": "chevron-left", "chevron-right": "chevron-right",
  image: "image", scan: "scan-line",
  undo: "undo-2",
  redo: "redo-2",
  pin: "pin", info: "info", list: "list", board: "layout-grid", lock: "lock",
};
// drawn by us in the same manner: done, but not the service
const OWN_ICONS = { "check-bar": '<path d="M20 3 9 14l-5-5" /><path d="M4 20h16" />' };

/** @param {string} name of the package @param {string} path */
function read(name, path) {
  return readFileSync(join(modules, name, path));
}

/** @param {string} path @param {string | Uint8Array} bytes */
function write(path, bytes) {
  mkdirSync(dirname(join(STATIC, path)), { recursive: true });
  writeFileSync(join(STATIC, path), bytes);
}

/** @param {string} drawn */
const oneLine = (drawn) => drawn.replace(/\s+/g, " ").trim();

/** @param {[string, string]} icon */
const symbol = ([name, drawn]) => `<symbol id="${name}" viewBox="0 0 24 24" ${LINES}>${oneLine(drawn)}</symbol>`;

/** @param {string} lucideName */
function shapes(lucideName) {
  const svg = read("lucide-static", `icons/${lucideName}.svg`).toString();
  return svg.slice(svg.indexOf(">", svg.indexOf("<svg")) + 1, svg.indexOf("</svg>"));
}

const LINES = 'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
const NOTE = "Lucide, ISC licence, see LICENSE; made by frontend/vendor.mjs";

/** @type {[string, string][]} our name and what is drawn */
const DRAWN = [...Object.entries(ICONS).map(([name, lucide]) => /** @type {[string, string]} */ ([name, shapes(lucide)])), ...Object.entries(OWN_ICONS)];

const sprite = () => `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${NOTE} -->\n${DRAWN.map(symbol).join("\n")}\n</svg>\n`;

// the state that an icon shows on a card, in whose colour it is drawn there; all others are muted
const STATE_ICONS = {
  unassigned: "circle", assigned: "user", "en-route": "arrow-right", "in-review": "clipboard", "on-site": "house",
  done: "check", closed: "check-bar", cancelled: "x",
};

// For the cards of the board: a background is painted with its box. An SVG in the page is a tree of its own, and a mask
// a layer, in each of a thousand cards. So each colour of a theme needs its own picture.
/** @param {0 | 1} theme light, dark */
function pictures(theme) {
  const muted = DRAWN.map(([name, drawn]) => picture(`.icon-${name}`, drawn, colour("--muted", theme)));
  const states = Object.entries(STATE_ICONS).map(([state, name]) => {
    const own = state === "in-review" ? "closed" : state;
    return picture(`.state-${state} .icon-${name}`, Object.fromEntries(DRAWN)[name], colour(`--state-${own}`, theme));
  });
  return [...muted, ...states].join("\n");
}

/** @param {string} token @param {0 | 1} theme */
function colour(token, theme) {
  const tokens = readFileSync(join(STATIC, "css/tokens.css")).toString();
  return [...tokens.matchAll(new RegExp(`${token}: #(\\w+);`, "g"))][theme][1];
}

/** @param {string} selector @param {string} drawn @param {string} hex */
function picture(selector, drawn, hex) {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${LINES.replace("currentColor", `#${hex}`)}>${oneLine(drawn)}</svg>`;
  const escaped = svg.replaceAll('"', "'").replaceAll("<", "%3C").replaceAll(">", "%3E").replaceAll("#", "%23");
  return `${selector} { background-image: url("data:image/svg+xml,${escaped}"); }`;
}

function cardIcons() {
  const dark = `@media (prefers-color-scheme: dark) {\n${pictures(1)}\n}`;
  return `/* ${NOTE.replace("LICENSE", "static/icons/LICENSE")}, in the colours of tokens.css */\n${pictures(0)}\n${dark}\n`;
}

// the map file is not shipped, and the static storage would look for it
/** @param {Buffer} bytes @param {string} path */
function withoutSourceMap(bytes, path) {
  if (!path.endsWith(".js")) return bytes;
  return Buffer.from(bytes.toString().replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n"));
}

// the two modules lie side by side here
/** @param {Buffer} bytes @param {string} path */
function nextToEachOther(bytes, path) {
  return path.endsWith("reader/index.js") ? Buffer.from(bytes.toString().replaceAll('"../share.js"', '"./share.js"')) : bytes;
}

const manifest = [];
for (const [name, from, to] of COPIES) {
  const bytes = nextToEachOther(withoutSourceMap(read(name, from), from), from);
  write(to, bytes);
  const { version, license } = JSON.parse(read(name, "package.json").toString());
  manifest.push({ file: to, package: name, version, license, sha256: createHash("sha256").update(bytes).digest("hex") });
}
// zxing-cpp is compiled into the wasm file, under the licence that is ours too
write("vendor/zxing/LICENSE-zxing-cpp", readFileSync(join(here, "..", "LICENSE")));
write("icons/sprite.svg", sprite());
write("css/board/day/card_icons.css", cardIcons());
write("vendor/MANIFEST.json", JSON.stringify(manifest, null, 2) + "\n");
