// A photo straight into the object storage, by an address that our server signed. Where that is not offered, or does not
// work from here, the photo goes through the server.

import { ask } from "./server.js";

const SECONDS = 180;
// a bucket that does not answer this page is not asked for ever; until the page is opened again
let chances = 3;

// Whether the server has it from there.
export async function sentDirectly({ photo: id }, bytes, onProgress) {
  if (!chances || !globalThis.XMLHttpRequest) return false;
  const { url, headers } = await said(await ask(`/phone/photos/${id}/address?size=${bytes.byteLength}`));
  if (!url) return failed(chances);
  if (!(await put(url, headers, bytes, onProgress))) return failed(1);
  const taken = await ask(`/phone/photos/${id}/put`, { method: "POST" });
  return Boolean((await said(taken)).stored);
}

function failed(cost) {
  chances -= cost;
  return false;
}

const said = (answer) => answer.json().catch(() => ({}));

function put(url, headers, bytes, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("PUT", url);
    request.timeout = SECONDS * 1000;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    request.ontimeout = request.onerror = request.onabort = () => resolve(false);
    request.onload = () => resolve(request.status < 300);
    request.send(bytes);
  });
}
