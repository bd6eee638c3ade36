// Web push: subscribed by a tap only. On iPhones it exists in the installed application, not in the browser. The browser
// has one subscription, whoever is signed in; who has turned it on is in the database of each engineer.

import { SignedOut, request } from "./api_client.js";
import { getValue, resultOf, setValue, write } from "./database.js";

const IS_ON = "notifications_on";
const ADDRESS = "/phone/push";
const HEADERS = { "Content-Type": "application/json" };

// Whether this phone and this server can do it at all; needs signal for the second.
export async function isPossible() {
  const able = "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;
  return able && Notification.permission !== "denied" && Boolean(await publicKey());
}

// Whether the engineer of this page has turned it on here, and it has not ended since.
export async function isSubscribed() {
  return Boolean((await getValue(IS_ON)) && (await currentSubscription()));
}

// what is on its way to the server, or has been there: never two at once, which would arrive in any order
/** @type {Promise<void> | null} */
let renewing = null;

// Once for each page, when the server's day says who is signed in. The server forgets the phones of whoever is signed out
// everywhere or suspended, and gives the subscription to a colleague who turns it on here. That of an engineer who is
// not signed in any more ends.
export function renewSubscription() {
  renewing ??= renew().catch((problem) => {
    renewing = null;
    throw problem;
  });
  return renewing;
}

async function renew() {
  const subscription = await currentSubscription();
  if (subscription && (await getValue(IS_ON))) await sendSubscription("POST", subscription);
  else await subscription?.unsubscribe();
}

// Call it from a tap. False when the engineer or the phone refused.
export async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") return false;
  const { pushManager } = await navigator.serviceWorker.ready;
  // what is still there may be a colleague's
  await renewSubscription();
  const key = { userVisibleOnly: true, applicationServerKey: decodeKey(await publicKey()) };
  const subscription = (await pushManager.getSubscription()) ?? (await pushManager.subscribe(key));
  const isTaken = await sendSubscription("POST", subscription);
  if (isTaken) await setValue(IS_ON, true);
  return isTaken;
}

// Whoever is signed out already gets no notices here either.
export function unsubscribe() {
  const ended = Promise.resolve(renewing).catch(() => {}).then(endSubscription);
  renewing = ended;
  // without signal it goes on, and is renewed again
  ended.catch(() => (renewing = null));
  return ended;
}

async function endSubscription() {
  const subscription = await currentSubscription();
  if (!subscription) return;
  await sendSubscription("DELETE", subscription).catch((problem) => {
    if (!(problem instanceof SignedOut)) throw problem;
  });
  await dropSubscription();
}

// On this phone only: the server learns of it from the push service.
export async function dropSubscription() {
  await (await currentSubscription())?.unsubscribe();
  await write("values", ({ values: store }) => resultOf(store.delete(IS_ON)));
}

async function currentSubscription() {
  const registration = await navigator.serviceWorker?.getRegistration("/phone/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
}

/** @returns {Promise<string>} */
async function publicKey() {
  const answer = await request(ADDRESS);
  return answer.ok ? (await answer.json()).public_key : "";
}

/** @param {"POST" | "DELETE"} method @param {PushSubscription} subscription */
async function sendSubscription(method, subscription) {
  const answer = await request(ADDRESS, { method, headers: HEADERS, body: JSON.stringify(subscription) });
  return answer.ok;
}

/** @param {string} text */
function decodeKey(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
