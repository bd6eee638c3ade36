// How long a form of the board waits for its answer: longer with each further job, as the server does one after another.

import assert from "node:assert/strict";
import { test } from "node:test";

const limits = [];

globalThis.document = Object.assign(new EventTarget(), { querySelector: () => null, getElementById: () => ({ dataset: {} }) });
Object.defineProperty(globalThis, "navigator", { value: { onLine: true } });
globalThis.fetch = async () => new Response('{"ok": true}');
AbortSignal.timeout = (limit) => {
  limits.push(limit);
  return new AbortController().signal;
};
const { post } = await import("../../static/js/board/forms/post_form.js");

for (const [jobs, seconds] of [
  [0, 10],
  [1, 10],
  [100, 59.5],
]) {
  test(`${jobs} jobs are waited for ${seconds} s`, async () => {
    const body = new URLSearchParams(Array.from({ length: jobs }, (_, number) => ["job", `J-${number}`]));

    assert.deepEqual(await post("/board/bulk/", body), { ok: true });

    assert.equal(limits.at(-1), 1000 * seconds);
  });
}
