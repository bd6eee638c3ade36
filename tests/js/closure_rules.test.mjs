// How a job may end, as the phone sees it before anybody is asked: the same rules as closures/closure_validation.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { failureClosures, remainingProblems, searchClosures, validateClosure, isSuggested } from "../../static/js/phone/app/closure_rules.js";
import { DEFAULT_WIZARD } from "../../static/js/phone/app/workflow.js";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const codes = read("../../closures/data/codes.json").codes.filter(({ family }) => family === "");
const matrix = {
  questions: [
    { code: "SAF01", text: "Is it safe?", kind: "yes_no", stage: "safety", job_types: ["installation"] },
    { code: "LGT01", text: "Light level", kind: "number", stage: "work", job_types: ["installation"], unit: "dBm", decimals: 1, minimum: -40, maximum: 10, expected: { GPON: [-27, -8] } },
    { code: "PHO01", text: "Photo of the front", kind: "photo", stage: "work", job_types: ["installation"] },
    { code: "SIG01", text: "Signature", kind: "signature", stage: "work", job_types: ["installation"], mandatory: false },
    { code: "NOA01", text: "Did you call?", kind: "yes_no", stage: "closing", closures: ["RNA/NA"], job_types: ["installation"] },
  ],
};
const on_site = { id: "J-1", type: "installation", state: "on_site", answers: {}, closures: codes, has_ont_scan: true, network: {} };
const closure = (code) => codes.find((candidate) => candidate.code === code);
const done = { ...on_site, answers: { SAF01: "yes", LGT01: -18.5, PHO01: ["a"] }, scan: {}, result: { result_id: 1, success: true } };
const messages = (job, code, more = {}) => validateClosure(job, matrix, { closure: closure(code), wizard: DEFAULT_WIZARD, ...more }).map(({ message }) => message);

test("everything that is missing is listed at once, in the order in which to correct it", () => {
  assert.deepEqual(messages(on_site, "SP"), ["Scan or enter the ONT first.", "Answer: Is it safe?", "Answer: Light level", "Take: Photo of the front"]);
});

test("each problem leads to the step that mends it", () => {
  const urls = validateClosure(on_site, matrix, { closure: closure("SP"), wizard: DEFAULT_WIZARD }).map(({ url }) => url);
  assert.deepEqual(urls, ["scan/", "question/SAF01/", "question/LGT01/", "question/PHO01/"].map((step) => `/phone/jobs/J-1/${step}`));
});

test("on the way to another ending its questions keep that in their address", () => {
  const wizard = { ...DEFAULT_WIZARD, closing: "RNA/NA" };
  const job = { ...on_site, answers: { SAF01: "yes" } };
  const [found] = validateClosure(job, matrix, { closure: closure("RNA/NA"), wizard });
  assert.equal(found.url, "/phone/jobs/J-1/question/NOA01/?closing=RNA%2FNA");
});

test("nothing is in the way of a finished job, although its pictures are only here", () => {
  assert.deepEqual(messages(done, "SP"), []);
});

test("a number outside its window is a warning that leads to its question", () => {
  const [found] = validateClosure({ ...done, answers: { ...done.answers, LGT01: -30 } }, matrix, { closure: closure("SP"), wizard: DEFAULT_WIZARD });
  assert.deepEqual(found, { message: "Light level −30.0 dBm is outside the expected range (−27 to −8 dBm). Check it.", url: "/phone/jobs/J-1/question/LGT01/", blocks: false });
});

test("a scan without the seller's answer cannot be a success", () => {
  assert.match(messages({ ...done, result: null }, "SP")[0], /has not reported the ONT as provisioned/);
});

test("what the server refused a closing for goes when it no longer holds", () => {
  const problems = [
    { code: "not_provisioned", where: "provisioning", message: "The seller has not reported the ONT as provisioned." },
    { code: "photo_missing", where: "question:PHO01", message: "Take: Photo of the front" },
    { code: "photo_not_stored", where: "question:PHO01", message: "Photo of the front: 1 not sent yet. Wait, or send again." },
    { code: "remarks_missing", where: "remarks", message: "Describe what happened." },
  ];
  const remaining = (job, remarks = "") => remainingProblems(job, matrix, { entry: { body: { code: "SP", secondary_code: "", remarks } }, problems }).map(({ code }) => code);
  assert.deepEqual(remaining({ ...on_site, scan: {}, result: { result_id: 6 } }), ["not_provisioned", "photo_missing", "photo_not_stored"]);
  // only the server knows which bytes have arrived
  assert.deepEqual(remaining(done), ["photo_not_stored"]);
  assert.deepEqual(remaining({ ...done, has_ont_scan: true, line_check: { is_down: true } }), ["photo_not_stored", "remarks_missing"]);
});

test("remarks that are too long are refused with their length", () => {
  assert.deepEqual(messages(done, "SP", { remarks: "é".repeat(2000) }), []);
  assert.deepEqual(messages(done, "SP", { remarks: "a".repeat(5000) }), ["Enter at most 2000 characters. This has 5000."]);
});

test("a revisit may leave the ONT alone", () => {
  assert.deepEqual(messages({ ...done, type: "revisit", scan: null, result: null }, "SP"), []);
});

test("another ending asks for safety and its own evidence only", () => {
  assert.deepEqual(messages({ ...on_site, answers: { SAF01: "yes" } }, "RNA/NA"), ["Answer: Did you call?"]);
});

test("a code with second codes asks for one", () => {
  assert.match(messages({ ...on_site, answers: { SAF01: "yes" } }, "POP")[0], /^Choose a reason for “.+ \(POP\)”\.$/);
  assert.deepEqual(messages({ ...on_site, answers: { SAF01: "yes" } }, "POP", { secondary: "POP01" }), []);
});

test("an engineer who is not on site records the arrival first", () => {
  const [found] = validateClosure({ ...on_site, state: "assigned" }, matrix, { closure: closure("HAZ"), wizard: DEFAULT_WIZARD });
  assert.equal(found.url, "/phone/jobs/J-1/arrive/");
});

test("offered are the failures of a visit, the most used first", () => {
  const used = codes.map((closureCode) => ({ ...closureCode, uses: { "RNA/NA": 9, CON: 4 }[closureCode.code] ?? 0 }));
  const found = failureClosures({ ...on_site, closures: used }).map(({ code }) => code);
  assert.deepEqual(found.slice(0, 3), ["RNA/NA", "CON", "PSP"]);
  assert.equal(found.includes("SP") || found.includes("MBORC"), false);
});

test("search covers codes, trade terms and secondary codes", () => {
  const found = (query) => searchClosures(failureClosures(on_site), query).map(({ code }) => code);
  assert.deepEqual(found("no one"), ["RNA/NA"]);
  assert.deepEqual(found("gel wrap"), ["CON"]);
  assert.deepEqual(found("con09"), ["CON"]);
  assert.deepEqual(found("unicorn"), []);
});

for (const [query, wanted] of [
  ["no one home", ["RNA/NA"]],
  ["CHERRY", ["CPR"]],
  ["rna", ["RNA/NA"]],
  // also among the second codes of CON
  ["pole fault", ["CON", "CPR"]],
  ["customer told", ["MBORC", "FTA"]],
  ["xylophone", []],
]) {
  test(`the trade's words find codes: ${query}`, () => {
    assert.deepEqual(searchClosures(codes, query).map(({ code }) => code), wanted);
  });
}

test("an empty search finds every code", () => {
  assert.deepEqual(searchClosures(codes, "  "), codes);
});

test("the answers speak for a code", () => {
  const spoken = (job) => failureClosures(on_site).filter((candidate) => isSuggested(job, matrix, candidate)).map(({ code }) => code);
  assert.deepEqual(spoken(on_site), []);
  assert.deepEqual(spoken({ ...on_site, answers: { SAF01: "no" } }), ["HAZ"]);
  assert.deepEqual(spoken({ ...on_site, answers: { SAF01: "yes", LGT01: -35 } }), ["POP"]);
  assert.deepEqual(spoken({ ...on_site, result: { result_id: 6, success: false } }), ["ONT"]);
});

const vectors = read("../data/closing_vectors.json");
const all = [...read("../../closures/data/codes.json").codes, vectors.other];
const FAMILIES = { installation: "", revisit: "REV", external: "EXT", civils: "CIV" };
const outcomesOf = (type) => all.filter((candidate) => candidate === vectors.other || candidate.family === FAMILIES[type]);

const CHECKS = { down: { is_down: true }, up: { is_down: false }, never: null };

for (const { type, state, code, secondary, remarks, problems, answers = {}, sent_back = [], line = "never", checked, blocking } of vectors.cases) {
  test(`as on the server: ${type} ${state} ${code} ${JSON.stringify([secondary, remarks, checked])} line ${line}`, () => {
    const job = { ...on_site, type, state, closures: outcomesOf(type), answers, sent_back, line_check: CHECKS[line], has_ont_scan: ["installation", "revisit"].includes(type) };
    const found = validateClosure(job, { questions: vectors.questions }, { closure: all.find((candidate) => candidate.code === code), secondary, remarks, wizard: DEFAULT_WIZARD, checked });
    assert.deepEqual(found.map(({ message }) => message), problems);
    if (blocking) assert.deepEqual(found.flatMap(({ blocks }, number) => (blocks ? [number] : [])), blocking);
  });
}

test("as on the server: Other reason is offered for every job type", () => {
  for (const [type, offered] of Object.entries(vectors.offered)) {
    assert.deepEqual(failureClosures({ ...on_site, type, closures: outcomesOf(type) }).map(({ code }) => code), offered);
  }
});
