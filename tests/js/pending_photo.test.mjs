// A photo that was taken and is not kept yet stays until it is used or taken again, whatever is photographed meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lies } from "./browser.mjs";
import { dropPendingPhoto, getPendingPhoto, savePendingPhoto } from "../../static/js/phone/app/camera/pending_photo.js";
import { openDatabaseOf, setValue } from "../../static/js/phone/app/database.js";
import { photoKey } from "../../static/js/phone/app/drafts.js";

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

test("what another tab has taken for the question is not dropped with this one's", async () => {
  const mine = photo("mine", "J3");
  await savePendingPhoto(mine);
  await setValue(photoKey("J3", "PHO01"), photo("theirs", "J3"));
  await dropPendingPhoto(mine);

  assert.equal(await ask("J3"), "theirs");
  assert.equal(lies("phone-ERIN").values[photoKey("J3", "PHO01")].id, "theirs");
});

test("a photo that was used before the page ended is not in hand", async () => {
  await savePendingPhoto(photo("used", "J4"));

  assert.equal(await getPendingPhoto({ id: "J4", photos: { used: {} } }, { code: "PHO01" }), null);
  assert.equal(await ask("J4"), null);
});
