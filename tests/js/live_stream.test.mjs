// The board's stream in the browser: opened again after a refusal, and not believed where it has fallen silent.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const opened = [];
const calls = [];

globalThis.document = Object.assign(new EventTarget(), { hidden: false });
globalThis.EventSource = class extends EventTarget {
  static CLOSED = 2;
  readyState = 1;

  constructor(url) {
    super();
    this.url = url;
    opened.push(this);
  }

  close() {
    this.readyState = EventSource.CLOSED;
  }

  refuse() {
    this.close();
    this.dispatchEvent(new Event("error"));
  }

  send(name, data = "{}") {
    this.dispatchEvent(Object.assign(new Event(name), { data }));
  }
};
mock.timers.enable({ apis: ["setTimeout"] });
const { follow } = await import("../../static/js/board/live/live_stream.js");

const handlers = Object.fromEntries(["hello", "change", "reload", "presence", "lost"].map((name) => [name, () => calls.push(name)]));
const setHidden = (isHidden) => {
  document.hidden = isHidden;
  document.dispatchEvent(new Event("visibilitychange"));
};
const wait = (seconds) => mock.timers.tick(seconds * 1000);
const openNow = () => opened.filter((source) => source.readyState !== EventSource.CLOSED).length;

beforeEach(() => {
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  opened.length = 0;
  follow("/board/stream?day=2026-11-23", handlers);
  calls.length = 0;
});

test("a stream that was refused is opened again, once", () => {
  opened[0].refuse();
  assert.deepEqual(calls, ["lost"]);
  wait(14);
  assert.equal(opened.length, 1);
  wait(6);
  assert.deepEqual([opened.length, openNow(), opened[1].url], [2, 1, "/board/stream?day=2026-11-23"]);
  opened[1].refuse();
  wait(20);
  assert.deepEqual([opened.length, openNow()], [3, 1]);
});

test("a hidden tab does not open it, and opens one when it is in sight again", () => {
  opened[0].refuse();
  setHidden(true);
  wait(60);
  assert.equal(opened.length, 1);
  setHidden(false);
  wait(20);
  assert.deepEqual([opened.length, openNow()], [2, 1]);
});

test("a stream without a ping or an event is lost, and opened anew", () => {
  opened[0].send("hello");
  calls.length = 0;
  wait(39);
  opened[0].send("ping");
  wait(39);
  assert.deepEqual([calls, opened.length], [[], 1]);
  wait(1);
  assert.deepEqual([calls, opened.length, openNow()], [["lost"], 2, 1]);
  wait(39);
  opened[1].send("change");
  wait(39);
  assert.equal(openNow(), 1);
  assert.equal(opened.length, 2);
});

test("a hidden tab waits for no ping", () => {
  setHidden(true);
  wait(120);
  assert.deepEqual([opened.length, openNow()], [1, 0]);
});
