// The scripts import one another without a circle: who reads one begins with those that import nothing.
// Run with: node --test tests/js/modules.test.mjs

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const STATIC = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "static");
// what is imported later, in a function, is there by then
const IMPORT = /^(?:import|export)\b[^;]*?\bfrom "(\.[^"]+)"|^import "(\.[^"]+)"/gm;

// {path: [path…]} of every script of ours.
function importsBelow(folder) {
  const paths = readdirSync(join(STATIC, folder), { recursive: true }).filter((path) => path.endsWith(".js"));
  return new Map(paths.map((path) => join(folder, path)).map((path) => [path, importsOf(path, readFileSync(join(STATIC, path), "utf8"))]));
}

const importsOf = (path, source) => [...source.matchAll(IMPORT)].map(([, from, alone]) => normalize(join(dirname(path), from ?? alone)));

// The paths of one circle, or [].
function circleIn(imports) {
  const done = new Set();
  const walk = (path, way) => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of imports.get(path) ?? []) {
      const found = walk(next, [...way, path]);
      if (found.length) return found;
    }
    done.add(path);
    return [];
  };
  for (const path of imports.keys()) {
    const found = walk(path, []);
    if (found.length) return found;
  }
  return [];
}

test("no circle of modules", () => {
  const imports = importsBelow("js");
  assert.ok(imports.size > 90, "the scripts were found");
  assert.deepEqual(circleIn(imports), []);
});

test("every import leads to a script", () => {
  const imports = importsBelow("js");
  const missing = [...imports].flatMap(([path, found]) => found.filter((name) => !imports.has(name) && !name.startsWith("vendor")).map((name) => `${path}: ${name}`));
  assert.deepEqual(missing, []);
});

test("a module name denotes one module of the phone", () => {
  const names = [...importsBelow("js/phone").keys()].map((path) => path.split("/").at(-1));
  assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
});

test("a circle is found", () => {
  const source = 'import { b } from "./b.js";\n\nexport { c } from "./c.js";\n';
  const imports = new Map([["x/a.js", importsOf("x/a.js", source)], ["x/b.js", []], ["x/c.js", ["x/a.js"]]]);
  assert.deepEqual(circleIn(imports), ["x/a.js", "x/c.js", "x/a.js"]);
});
