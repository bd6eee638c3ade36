// Makes scripts of the modules of phone, board and other pages, and one file of style sheets that a page needs together:
// `npm ci --ignore-scripts && npm run build`. What is made lies in static/built and is committed, so that nobody else
// needs Node; two runs give the same bytes. MANIFEST.json says which files the phone's page and scanner load, and the hash
// of the sources of all.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const STATIC = join(dirname(fileURLToPath(import.meta.url)), "..", "static");
const PHONE = join(STATIC, "js", "phone");
const CSS = join(STATIC, "css");
// as deep as the sources, which find static/vendor from where they are
const BUILT = process.argv[2] ?? join(STATIC, "built");
const BUILT_PHONE = join(BUILT, "js", "phone");

const BOARD = join(STATIC, "js", "board", "board.js");
const PAGES = join(STATIC, "js", "pages.js");
const PAGE = "app/app.js";
const JOB = "app/screens/job_screens.js";
// what the page loads later, and what is there by then
const LATER = {
  [JOB]: PAGE, "app/screens/lazy_screens.js": JOB, "app/screens/photo_answer.js": JOB, "scan/scan_field.js": JOB,
};
// what the service worker sends with when no page is open, and the worker that reads labels: each in one piece, since a
// piece of its own for what they share with the page would delay the page
const READER = "scan/decoder_worker.js";
const WORKERS = ["app/send_queue.js", READER];
// each imports what it is made of
const SHEETS = ["base.css", "board.css", "day.css"];
const PHONE_SHEET = "phone.css";

/** @param {string} sheet @returns {string[]} */
function withImports(sheet) {
  const imports = readFileSync(join(CSS, sheet)).toString().matchAll(/@import "\.\/(.+?)"/g);
  return [sheet, ...[...imports].flatMap(([, path]) => withImports(path))];
}

// what any of the above may be made of, by its path in static
function sources() {
  const scripts = readdirSync(join(STATIC, "js"), { recursive: true }).map((path) => `js/${path}`);
  const styles = new Set([...SHEETS, PHONE_SHEET].flatMap(withImports));
  return [...scripts.filter((path) => path.endsWith(".js")), ...[...styles].map((path) => `css/${path}`)].sort();
}

// tests/conventions/test_built.py computes the same
function hashOfSources() {
  const hash = createHash("sha256");
  for (const path of sources()) hash.update(path).update("\0").update(readFileSync(join(STATIC, path))).update("\0");
  return hash.digest("hex");
}

// Whatever is loaded later imports what is there by then: so all of the page is one piece, and all of the job's screens,
// instead of a piece for each set of users.
/** @type {import("esbuild").Plugin} */
const fewPieces = {
  name: "few-pieces",
  setup(building) {
    for (const [path, earlier] of Object.entries(LATER))
      building.onLoad({ filter: new RegExp(`/${path}$`) }, ({ path: found }) => ({
        contents: `import ${JSON.stringify(join(PHONE, earlier))};\n${readFileSync(found)}`,
      }));
  },
};

// its path is as long from what is made as from its source
/** @type {import("esbuild").Plugin} */
const vendorExternal = {
  name: "vendor-external",
  setup(building) {
    building.onResolve({ filter: /^\.\.\/\.\.\/\.\.\/vendor\// }, ({ path }) => ({ path, external: true }));
  },
};

// What is made of this source and whatever it cannot start without; what is imported later is not waited for.
/** @param {string} source @param {import("esbuild").Metafile["outputs"]} outputs */
function filesOf(source, outputs) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {string} path */
  const take = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === "import-statement") take(next);
  };
  const entry = Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
  if (!entry) throw new Error(`nothing was made of ${source}`);
  take(entry);
  return [...found].map((path) => basename(path));
}

rmSync(BUILT, { recursive: true, force: true });
mkdirSync(BUILT_PHONE, { recursive: true });
/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: PHONE,
  outdir: BUILT_PHONE,
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
};
const { metafile } = await build({
  ...common, entryPoints: [PAGE], splitting: true, metafile: true, plugins: [fewPieces],
});
await build({ ...common, entryPoints: WORKERS });
await build({
  ...common, entryPoints: [BOARD], outdir: join(BUILT, "js", "board"), splitting: true, plugins: [vendorExternal],
});
await build({ ...common, entryPoints: [PAGES], outdir: join(BUILT, "js") });
await build({ ...common, entryPoints: [join(CSS, PHONE_SHEET)] });
await build({ ...common, entryPoints: SHEETS.map((sheet) => join(CSS, sheet)), outdir: join(BUILT, "css") });
// app.js itself only gives names to what the piece holds: for the tests, and for who looks into a page
const page = filesOf(PAGE, metafile.outputs).slice(1);
const job = filesOf(JOB, metafile.outputs).filter((name) => !page.includes(name));
const field = filesOf("scan/scan_field.js", metafile.outputs).filter((name) => ![...page, ...job].includes(name));
const scanner = [...field, basename(READER)];
const manifest = { sources: hashOfSources(), page, job, scanner };
writeFileSync(join(BUILT_PHONE, "MANIFEST.json"), JSON.stringify(manifest, null, 2) + "\n");
