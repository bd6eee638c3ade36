// Which page an address shows. Each screen is a function of ({job, matrix, trail, day, rows, …}) and gives
// {name, title, body: [elements], shown?(page)}.

import { instead } from "../router.js";
import { nextUrl, trailOf } from "../workflow.js";
import { cantCompleteScreen } from "./cant_complete_screen.js";
import { closeScreen } from "./close_screen.js";
import { dayScreen } from "./day_screen.js";
import { handOverScreen } from "./hand_over_screen.js";
import { jobScreen } from "./job_screen.js";
import { provisioningScreen } from "./provisioning_screen.js";
import { questionScreen } from "./question_screen.js";
import { reviewScreen } from "./review_screen.js";
import { scanScreen } from "./scan_screen.js";
import { notFoundScreen } from "./not_found_screen.js";
import { arriveScreen, travelScreen } from "./travel_screen.js";

const LATER = [() => import("./lazy_screens.js"), () => import("./photo_answer.js"), () => import("../../scan/scan_field.js")];

// What is not for the first page; here before it is wanted, whatever the browser cleans away then.
export function takeUpTheRest() {
  for (const load of LATER) load().catch(console.warn);
}

function beside(screen) {
  return async (context) => (await LATER[0]())[screen](context);
}

// Leads on to what comes next.
const nextScreen = ({ job, matrix, trail }) => instead(nextUrl(job, matrix, trail));

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
  if (!job || !screen) return notFoundScreen({ ...context, id: decodeURIComponent(id ?? "") });
  const matrix = context.day.matrices[job.matrix];
  return screen({ ...context, path, moved, job, matrix, code, trail: trailOf(search), search: new URLSearchParams(search) });
}
