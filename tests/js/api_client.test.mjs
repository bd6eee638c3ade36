// What the server's answers say of the session, and where signing in goes on.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { json, server as web } from "./browser.mjs";
import * as server from "../../static/js/phone/app/api_client.js";
import { signInLink } from "../../static/js/phone/app/status_line.js";
import * as store from "../../static/js/phone/app/database.js";

const DAY = { engineer: "ERIN", csrf_token: "new", jobs: [] };
const answers = (...responses) => {
  web.asked.length = 0;
  web.answers = () => responses.shift();
};

beforeEach(async () => {
  await store.openDatabaseOf("ERIN");
  answers(json(DAY));
  await server.fetchDay();
  globalThis.location = { pathname: "/phone/jobs/J1/", search: "?a=b" };
});

test("nobody is signed in: the form is next", async () => {
  answers(json({ error: "signed_out", address: "/login/" }, 401));

  await assert.rejects(server.fetchDay(), server.SignedOut);
  assert.equal(server.session.ended, true);
  assert.deepEqual(signInLink(), { href: "/login/?next=%2Fphone%2Fjobs%2FJ1%2F%3Fa%3Db", "data-full-load": true });
});

test("signing in is not finished: the link leads to the missing step", async () => {
  answers(json({ error: "unfinished", address: "/password/" }, 401));

  await assert.rejects(server.fetchDay(), server.SignedOut);
  assert.equal(signInLink().href, "/password/?next=%2Fphone%2Fjobs%2FJ1%2F%3Fa%3Db");
  answers(json(DAY));
  await server.fetchDay();
  assert.deepEqual({ ...server.session }, { ended: false, address: "/login/" });
});

test("an answer without an address leads to the form", async () => {
  answers(new Response("<p>Sign in</p>", { status: 401 }));

  await assert.rejects(server.fetchDay(), server.SignedOut);
  assert.equal(signInLink().href.split("?")[0], "/login/");
});

test("who is signed in has no phone pages: that is nobody for this phone", async () => {
  answers(new Response("Forbidden", { status: 403 }));

  await assert.rejects(server.fetchDay(), server.SignedOut);
  assert.equal(server.session.ended, true);
});

test("entries that are refused to somebody without phone pages wait for their engineer", async () => {
  const forbidden = () => new Response("Forbidden", { status: 403 });
  answers(forbidden(), forbidden());

  await assert.rejects(server.sendMessages([{ message_id: "m1" }], "ERIN"), server.SignedOut);
  assert.equal(server.session.ended, true);
});

test("an old token is no end of the session", async () => {
  answers(new Response("CSRF", { status: 403 }), json(DAY), json({ results: [] }));

  assert.deepEqual(await server.sendMessages([], "ERIN"), []);
  assert.deepEqual(web.asked.map(({ path }) => path), ["/phone/sync", "/phone/day.json", "/phone/sync"]);
  assert.equal(server.session.ended, false);
});

test("403 of one page alone does not end the session", async () => {
  answers(new Response("Forbidden", { status: 403 }));

  await assert.rejects(server.request("/phone/positions.json"), server.Unreachable);
  assert.equal(server.session.ended, false);
});

test("a day that has not changed is not sent again", async () => {
  answers(new Response(JSON.stringify({ ...DAY, name: "Erin" }), { headers: { ETag: '"1"' } }));
  await server.fetchDay();
  answers(new Response(null, { status: 304 }));
  const day = await server.fetchDay();

  assert.equal(web.asked[0].headers["If-None-Match"], '"1"');
  assert.equal(day.name, "Erin");
});

test("each request names the version of the application: of the page, or of the worker", async () => {
  globalThis.phoneVersion = "0123456789abcdef";
  answers(json(DAY));
  await server.fetchDay();
  assert.equal(web.asked.at(-1).headers["X-Phone-Version"], "0123456789abcdef");

  globalThis.document = { body: { dataset: { version: "fedcba9876543210" } }, cookie: "" };
  answers(json(DAY));
  await server.fetchDay();
  assert.equal(web.asked.at(-1).headers["X-Phone-Version"], "fedcba9876543210");
  delete globalThis.document;
});

test("the day that the page fetches with its script is asked for as the browser did: with no header of ours", async () => {
  answers(json(DAY));
  const day = await server.fetchPreloadedDay();

  assert.deepEqual(web.asked.map(({ path, headers }) => ({ path, headers })), [{ path: "/phone/day.json", headers: { Accept: "application/json" } }]);
  assert.equal(day.engineer, "ERIN");
});
