// How a job may end, as the phone sees it before anybody is asked: the same rules as closures/closure_validation.py.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { SHARED_RULES, failureClosures, remainingProblems, searchClosures, validateClosure, isSuggested } from "../../static/js/phone/app/closure_rules.js";
import { photoUsedBefore } from "../../static/js/phone/app/photo_proofs.js";
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
const PICTURES = matrix.questions.filter(({ kind }) => kind === "photo" || kind === "signature");
const on_site = { id: "J-1", type: "installation", state: "on_site", answers: {}, closures: codes, has_ont_scan: true, network: {} };
const closure = (code) => codes.find((candidate) => candidate.code === code);
const done = { ...on_site, answers: { SAF01: "yes", LGT01: -18.5, PHO01: ["a"] }, photos: { a: { stored: true } }, scan: {}, result: { result_id: 1, success: true } };
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
  const row = { state: "pending", entry: { kind: "photo_taken", body: { photo_id: "a" } } };
  assert.deepEqual(messages({ ...done, photos: { a: { stored: false, row } } }, "SP"), []);
});

test("a photo that is neither on the server nor in this phone's queue is in the way, and leads to its question", () => {
  for (const photos of [{ a: { stored: false, by: "Ann" } }, {}]) {
    const found = validateClosure({ ...done, photos }, matrix, { closure: closure("SP"), wizard: DEFAULT_WIZARD });
    assert.deepEqual(found, [{ message: "Photo of the front: 1 not sent yet, still on another phone. Wait, or replace it.", url: "/phone/jobs/J-1/question/PHO01/", blocks: true }]);
  }
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
    { code: "photo_not_stored", where: "question:PHO01", message: "Photo of the front: 1 not sent yet, still on another phone. Wait, or replace it." },
    { code: "remarks_missing", where: "remarks", message: "Describe what happened." },
  ];
  const remaining = (job, remarks = "") => remainingProblems(job, matrix, { entry: { body: { code: "SP", secondary_code: "", remarks } }, problems }).map(({ code }) => code);
  assert.deepEqual(remaining({ ...on_site, scan: {}, result: { result_id: 6 } }), ["not_provisioned", "photo_missing", "photo_not_stored"]);
  assert.deepEqual(remaining({ ...done, photos: { a: { stored: false } } }), ["photo_missing", "photo_not_stored"]);
  assert.deepEqual(remaining(done), []);
  assert.deepEqual(remaining({ ...done, has_ont_scan: true, line_check: { is_down: true } }), ["remarks_missing"]);
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
const DEVICES = { none: {}, waiting: { scan: {} }, provisioned: { scan: {}, result: { result_id: 1, success: true } } };

for (const { type, state, code, secondary, remarks, problems, answers = {}, photos: known = {}, sent_back = [], line = "never", device = "provisioned", checked, blocking } of vectors.cases) {
  test(`as on the server: ${type} ${state} ${code} ${JSON.stringify([secondary, remarks, checked, device])} line ${line} ${Object.keys(known)}`, () => {
    const photos = Object.fromEntries(Object.entries(known).map(([id, photo]) => [id, { stored: true, ...photo }]));
    const job = { ...on_site, ...DEVICES[device], type, state, closures: outcomesOf(type), answers, photos, sent_back, line_check: CHECKS[line], has_ont_scan: ["installation", "revisit"].includes(type) };
    const found = validateClosure(job, { questions: vectors.questions }, { closure: all.find((candidate) => candidate.code === code), secondary, remarks, wizard: DEFAULT_WIZARD, checked });
    assert.deepEqual(found.map(({ message }) => message), problems.map(({ text }) => text));
    if (blocking) assert.deepEqual(found.flatMap(({ blocks }, number) => (blocks ? [number] : [])), blocking);
  });
}

test("what the phone judges again is called as the server calls it", () => {
  const called = new Set(vectors.cases.flatMap(({ problems }) => problems.map(({ code }) => code)));
  // hashes of the files are the server's
  called.delete("same_photo");
  assert.deepEqual([...SHARED_RULES].sort(), [...called].sort());
});

test("as on the server: Other reason is offered for every job type", () => {
  for (const [type, offered] of Object.entries(vectors.offered)) {
    assert.deepEqual(failureClosures({ ...on_site, type, closures: outcomesOf(type) }).map(({ code }) => code), offered);
  }
});

test("a picture that another question has is known as soon as it is chosen, also before it was sent", () => {
  const photos = { a: { question: "PHO01", row: { entry: { kind: "photo_taken", body: { sha256: "1" } } } }, b: { question: "SIG01", stored: true, sha256: "2" }, c: { sha256: "" } };
  const job = { ...done, answers: { PHO01: ["a"], SIG01: ["b"], SAF01: "yes" }, photos };
  const [photo, signature] = PICTURES;
  assert.equal(photoUsedBefore(job, matrix, { question: signature }, "1"), "Signature: this is the same photo as for “Photo of the front”. Sign again.");
  assert.equal(photoUsedBefore(job, matrix, { question: photo }, "2"), "Photo of the front: this is the same photo as for “Signature”. Take a new one.");
  // its own answer, one that no answer has any more, and a browser that hashes nothing
  for (const [question, sha256] of [[photo, "1"], [photo, "3"], [photo, ""]]) assert.equal(photoUsedBefore(job, matrix, { question }, sha256), "");
});

test("a picture with an arrow is known by the one that it was drawn on, here and in the day", () => {
  const [photo, signature] = PICTURES;
  const drawn = { sha256: "1", original_sha256: "2" };
  for (const known of [drawn, { row: { entry: { kind: "photo_taken", body: drawn } } }]) {
    const job = { ...done, photos: { a: known } };
    assert.match(photoUsedBefore(job, matrix, { question: signature }, "2"), /same photo as for “Photo of the front”/);
    assert.equal(photoUsedBefore(job, matrix, { question: photo }, "2"), "");
  }
});

test("the server's hash counts where this browser announced the picture without one", () => {
  const job = { ...done, photos: { a: { sha256: "1", row: { entry: { kind: "photo_taken", body: { sha256: "", original_sha256: "" } } } } } };
  assert.match(photoUsedBefore(job, matrix, { question: PICTURES[1] }, "1"), /same photo/);
});

test("a picture of a question that is asked no longer may be taken for another one", () => {
  const asked = { code: "CAB01", text: "Is there a cabinet?", kind: "yes_no", stage: "work", job_types: ["installation"], mandatory: false };
  const cabinet = { code: "CAB02", text: "Photo of the cabinet", kind: "photo", stage: "work", job_types: ["installation"], when: [{ question: "CAB01", equals: "yes" }] };
  const evidence = { code: "NOA02", text: "Photo of the door", kind: "photo", stage: "closing", closures: ["RNA/NA"], job_types: ["installation"] };
  const questions = [...matrix.questions, asked, cabinet, evidence];
  const used = (answers, closureCode) => photoUsedBefore({ ...done, answers, photos: { b: { sha256: "2" } } }, { questions }, { question: PICTURES[0], closureCode }, "2");
  assert.match(used({ CAB01: "yes", CAB02: ["b"] }), /Photo of the cabinet/);
  assert.equal(used({ CAB01: "no", CAB02: ["b"] }), "");
  assert.match(used({ NOA02: ["b"] }, "RNA/NA"), /Photo of the door/);
  assert.equal(used({ NOA02: ["b"] }), "");
});

test("a refusal of pictures holds while all of them are there: hashes of the files are the server's", () => {
  const message = "Signature: this is the same photo as for “Photo of the front”. Sign again.";
  const problems = ["same_photo", "photo_of_another_answer"].map((code) => ({ code, where: "question:SIG01", message }));
  const known = { a: { stored: true, sha256: "1" }, b: { stored: true }, c: { stored: true, sha256: "1" }, d: { stored: true } };
  const remaining = (answers, more) => remainingProblems({ ...done, answers: { ...done.answers, ...answers }, photos: known }, matrix, { entry: { body: { code: "SP", secondary_code: "", remarks: "" } }, problems, ...more }).map(({ code }) => code);
  const all = ["same_photo", "photo_of_another_answer"];
  assert.deepEqual(remaining({ SIG01: ["b"] }, { pictures: ["a", "b"] }), all);
  // one more stands beside it
  assert.deepEqual(remaining({ PHO01: ["a", "d"], SIG01: ["b"] }, { pictures: ["a", "b"] }), all);
  assert.deepEqual(remaining({ SIG01: ["d"] }, { pictures: ["a", "b"] }), []);
  assert.deepEqual(remaining({ PHO01: ["d"], SIG01: ["b"] }, { pictures: ["a", "b"] }), []);
  // the new one is the same picture again, which is seen here
  assert.deepEqual(remaining({ SIG01: ["c"] }, { pictures: ["a", "b"] }), all);
  // refused while an older version was at work
  assert.deepEqual(remaining({ SIG01: ["d"] }), all);
});
