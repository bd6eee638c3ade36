// Makes the phone's application one script from its modules: `npm ci --ignore-scripts && npm run build`.
// What is made lies in static/built/js/phone and is committed, so that nobody else needs Node; two runs give the same
// bytes. MANIFEST.json says which files page and scanner load, and the hash of the sources from which they were made.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const STATIC = join(dirname(fileURLToPath(import.meta.url)), "..", "static");
const PHONE = join(STATIC, "js", "phone");
// as deep as the sources, which find static/vendor from where they are
const BUILT = process.argv[2] ?? join(STATIC, "built", "js", "phone");

// the page, and what the service worker sends with when no page is open; both take the shared pieces as they are
const ENTRIES = ["app/app.js", "app/send_queue.js"];
// the worker that reads labels; in one piece, since a piece of its own for what it shares would delay the page
const READER = "scan/decoder_worker.js";

function sources() {
  const below = ["app", "scan"].flatMap((folder) =>
    readdirSync(join(PHONE, folder), { recursive: true }).map((path) => join(folder, path)));
  return ["flow.js", ...below.filter((path) => path.endsWith(".js"))].sort();
}

// tests/conventions/test_built.py reckons the same
function hashOfSources() {
  const hash = createHash("sha256");
  for (const path of sources()) hash.update(path).update("\0").update(readFileSync(join(PHONE, path))).update("\0");
  return hash.digest("hex");
}

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
mkdirSync(BUILT, { recursive: true });
/** @satisfies {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: PHONE,
  outdir: BUILT,
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
};
const { metafile } = await build({ ...common, entryPoints: ENTRIES, splitting: true, metafile: true });
await build({ ...common, entryPoints: [READER] });
const page = filesOf("app/app.js", metafile.outputs);
const field = filesOf("scan/scan_field.js", metafile.outputs).filter((name) => !page.includes(name));
const scanner = [...field, basename(READER)];
const manifest = { sources: hashOfSources(), page, scanner };
writeFileSync(join(BUILT, "MANIFEST.json"), JSON.stringify(manifest, null, 2) + "\n");
