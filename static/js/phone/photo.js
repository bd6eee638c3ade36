// A photo: made small and upright on the phone, hashed, announced, sent with a bar, then answered with.

import { newId } from "./app/ids.js";
import { newEntry, NotSent, sendOne, SignedOut, token } from "./sync.js";
import { clearProblems, say, showProblems, trouble } from "./status.js";

const LONGEST_EDGE = 1600;
const QUALITY = 0.8;

// What was made of each form's picture; not on the form itself, whose fields shadow its properties.
const prepared = new WeakMap();

export function watchPhotos(root) {
  for (const form of root.querySelectorAll("form[data-photo]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      submit(form);
    });
    form.querySelector("input[type=file]").addEventListener("change", (event) => {
      preview(form, event.target.files[0]);
    });
  }
}

function preview(form, file) {
  const place = form.querySelector("[data-previews]");
  if (!place || !file) return;
  const image = place.querySelector("img[data-new]") ?? document.createElement("img");
  image.dataset.new = "";
  image.alt = "The photo you just took";
  image.src = URL.createObjectURL(file);
  // a picture that this browser cannot show (HEIC) is sent all the same
  image.onerror = () => image.remove();
  if (!image.isConnected) place.append(image);
}

async function submit(form) {
  const file = form.querySelector("input[type=file]").files[0];
  if (!file || form.dataset.busy) return;
  form.dataset.busy = "yes";
  clearProblems();
  try {
    say("photo");
    if (prepared.get(form)?.file !== file) prepared.set(form, await prepare(file));
    await deliver(form, prepared.get(form));
  } catch (error) {
    if (error.problems) {
      say("");
      showProblems(error.problems);
    } else {
      trouble(error);
    }
  } finally {
    delete form.dataset.busy;
  }
}

async function prepare(file) {
  const bytes = await shrink(file).catch(() => file);
  const content = await bytes.arrayBuffer();
  return { file, id: newId(), bytes: content, sha256: await sha256(content), takenAt: new Date().toISOString() };
}

// Upright by the camera's own mark; the canvas drops camera data and place.
async function shrink(file) {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  const scale = Math.min(1, LONGEST_EDGE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", QUALITY);
  });
}

async function sha256(content) {
  const digest = await crypto.subtle.digest("SHA-256", content);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function deliver(form, photo) {
  const { photo: question, job } = form.dataset;
  photo.announced ??= newEntry("photo_taken", job, {
    photo_id: photo.id,
    question,
    sha256: photo.sha256,
    taken_at: photo.takenAt,
    signer: form.elements.signer?.value ?? "",
    source: form.querySelector("input[type=file]").hasAttribute("capture") ? "camera" : "gallery",
  });
  say("sending");
  refuse(await sendOne(photo.announced));
  await put(form, photo);
  photo.answered ??= newEntry("answered", job, { question, value: [...JSON.parse(form.dataset.kept || "[]"), photo.id] });
  refuse(await sendOne(photo.answered));
  say("sent", "good");
  location.assign(form.dataset.next);
}

function refuse(result) {
  if (result.outcome === "refused") throw Object.assign(new Error("refused"), { problems: result.problems });
}

// XMLHttpRequest, because fetch tells nothing of an upload's progress.
function put(form, photo) {
  const bar = form.querySelector("[data-progress]");
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", `${document.body.dataset.photosUrl}${photo.id}`);
    request.setRequestHeader("X-CSRFToken", token());
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("Content-Type", "image/jpeg");
    request.upload.onprogress = ({ loaded, total }) => {
      bar.hidden = false;
      bar.value = (100 * loaded) / total;
    };
    request.onload = () => settle(request, resolve, reject);
    request.onerror = () => reject(new NotSent("no connection"));
    request.send(photo.bytes);
  });
}

function settle(request, resolve, reject) {
  if (request.status < 300) resolve();
  else if (request.status === 401) reject(new SignedOut("signed out"));
  else if (request.status >= 500 || request.status === 403) reject(new NotSent(`answered ${request.status}`));
  else reject(Object.assign(new Error("refused"), { problems: JSON.parse(request.responseText).problems }));
}
