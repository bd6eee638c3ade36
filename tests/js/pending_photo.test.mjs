// A photo that was taken and is not kept yet stays until it is used or taken again, whatever is photographed meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import { dropPendingPhoto, getPendingPhoto, hasOtherPending, resumeWhenShown, savePendingPhoto } from "../../static/js/phone/app/camera/pending_photo.js";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { photoKey } from "../../static/js/phone/app/drafts.js";
import { MOUNTED } from "../../static/js/phone/app/router.js";

const photo = (id, job = "J1", question = "PHO01") => ({ id, job, question, bytes: new ArrayBuffer(4) });
const ask = async (job = "J1", question = "PHO01") => (await getPendingPhoto({ id: job }, { code: question }))?.id ?? null;

test("photos of several questions and jobs are in hand at a time", async () => {
  await openDatabaseOf("ERIN");
  const photos = [photo("a"), photo("b", "J1", "PHO04"), photo("c", "J2")];
  for (const each of photos) assert.equal(await savePendingPhoto(each), "");
  assert.deepEqual([await ask(), await ask("J1", "PHO04"), await ask("J2"), await ask("J2", "PHO04")], ["a", "b", "c", null]);

  await dropPendingPhoto(photos[1]);
  assert.deepEqual([await ask(), await ask("J1", "PHO04"), await ask("J2")], ["a", null, "c"]);
});

test("two tabs that photograph one question replace nothing of each other's", async () => {
  const [theirs, mine] = [photo("theirs", "J3"), photo("mine", "J3")].map((each, at) => ({ ...each, taken_at: `2026-11-30T10:0${at}:00Z` }));
  await setValue(photoKey("J3", "PHO01", "theirs"), theirs);
  await savePendingPhoto(mine);

  assert.equal(lies("phone-ERIN").values[photoKey("J3", "PHO01", "theirs")].id, "theirs");
  assert.equal(lies("phone-ERIN").values[photoKey("J3", "PHO01", "mine")].id, "mine");
  assert.deepEqual([await ask("J3"), await hasOtherPending(mine), await hasOtherPending(photo("x", "J9"))], ["theirs", true, false]);

  await dropPendingPhoto(theirs);
  assert.deepEqual([await ask("J3"), await hasOtherPending(mine)], ["mine", false]);
});

test("what was used in another tab gives way to the one that was not", async () => {
  await savePendingPhoto({ ...photo("a", "J5"), taken_at: "2026-11-30T10:00:00Z" });
  await savePendingPhoto({ ...photo("b", "J5"), taken_at: "2026-11-30T10:01:00Z" });

  assert.equal((await getPendingPhoto({ id: "J5", photos: { a: {} } }, { code: "PHO01" })).id, "b");
  assert.equal(photoKey("J5", "PHO01", "a") in lies("phone-ERIN").values, false);
});

test("a photo that was used before the page ended is not in hand", async () => {
  await savePendingPhoto(photo("used", "J4"));

  assert.equal(await getPendingPhoto({ id: "J4", photos: { used: {} } }, { code: "PHO01" }), null);
  assert.equal(await ask("J4"), null);
});

test("a photo that is stored under another key than its own is dropped where it is", async () => {
  const key = photoKey("J6", "PHO01");
  await setValue(key, { ...photo("old", "J6"), taken_at: "2026-11-30T10:00:00Z" });
  await dropPendingPhoto(await getPendingPhoto({ id: "J6" }, { code: "PHO01" }));

  assert.equal(await ask("J6"), null);
  assert.equal(key in lies("phone-ERIN").values, false);
});

test("a field that comes into the page long after it was made looks for its photo, once", () => {
  const field = Object.assign(new EventTarget(), { isConnected: false });
  let looks = 0;
  resumeWhenShown(field, async () => (looks += 1));
  assert.equal(looks, 0);

  field.isConnected = true;
  for (let drawings = 0; drawings < 2; drawings += 1) field.dispatchEvent(new Event(MOUNTED));
  assert.equal(looks, 1);
});
