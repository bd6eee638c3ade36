// Which page an address shows. Each screen is a function of ({job, matrix, trail, day, rows, …}) and gives
// {name, title, body: [elements], shown?(page)}.

import { trailOf } from "../steps.js";
import { cantCompleteScreen } from "./cant_complete.js";
import { closeScreen } from "./close.js";
import { dayScreen } from "./day.js";
import { handOverScreen } from "./hand_over.js";
import { jobScreen } from "./job.js";
import { nextScreen } from "./next.js";
import { provisioningScreen } from "./provisioning.js";
import { questionScreen } from "./question.js";
import { reviewScreen } from "./review.js";
import { scanScreen } from "./scan.js";
import { gone } from "./unknown.js";
import { arriveScreen, travelScreen } from "./way.js";

const LATER = [() => import("./beside.js"), () => import("./photo.js"), () => import("../../scan/field.js")];

// What is not for the first page; here before it is wanted, whatever the browser cleans away then.
export function takeUpTheRest() {
  for (const load of LATER) load().catch(console.warn);
}

function beside(screen) {
  return async (context) => (await LATER[0]())[screen](context);
}

const OF_THE_PHONE = {
  "/phone/": dayScreen,
  "/phone/queue/": beside("queueScreen"),
  "/phone/me/": beside("meScreen"),
  "/phone/me/leave/": beside("leaveScreen"),
  "/phone/me/positions/": beside("positionsScreen"),
};

const OF_A_JOB = {
  "": jobScreen,
  next: nextScreen,
  travel: travelScreen,
  arrive: arriveScreen,
  question: questionScreen,
  scan: scanScreen,
  provisioning: provisioningScreen,
  review: reviewScreen,
  "cant-complete": cantCompleteScreen,
  close: closeScreen,
  "hand-over": handOverScreen,
};

export function screenFor({ path, search, moved }, context) {
  const whole = OF_THE_PHONE[path.replace(/\/*$/, "/")];
  if (whole) return whole(context);
  const parts = path.replace(/^\/phone\//, "").split("/").filter(Boolean);
  const [kind, id, name = "", code = ""] = parts;
  const job = kind === "jobs" && context.day.jobs.find((one) => one.id === decodeURIComponent(id ?? ""));
  const screen = OF_A_JOB[name];
  if (!job || !screen) return gone({ ...context, id: decodeURIComponent(id ?? "") });
  const matrix = context.day.matrices[job.matrix];
  return screen({ ...context, path, moved, job, matrix, code, trail: trailOf(search), search: new URLSearchParams(search) });
}
