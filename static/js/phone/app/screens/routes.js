// Which screen an address shows. Each screen is a function of ({job, matrix, wizard, day, rows, …}) that returns {name,
// title, body: [elements], shown?(page)}.

import { redirect } from "../router.js";
import { isSecond, jobUrl, nextUrl, parseWizard } from "../workflow.js";
import { cantCompleteScreen } from "./cant_complete_screen.js";
import { closeScreen } from "./close_screen.js";
import { dayScreen } from "./day_screen.js";
import { handOverScreen } from "./hand_over_screen.js";
import { jobScreen } from "./job_screen.js";
import { provisioningScreen } from "./provisioning_screen.js";
import { questionScreen } from "./question_screen.js";
import { reviewScreen } from "./review_screen.js";
import { scanScreen } from "./scan_screen.js";
import { noSuchPageScreen, notFoundScreen } from "./not_found_screen.js";
import { arriveScreen, travelScreen } from "./travel_screen.js";

const loadLazyScreens = () => import("./lazy_screens.js");
const LAZY_MODULES = [loadLazyScreens, () => import("./photo_answer.js"), () => import("../../scan/scan_field.js")];

// What is not for the first page; here before it is wanted, whatever the browser cleans away then.
export function preloadScreens() {
  for (const load of LAZY_MODULES) load().catch(console.warn);
}

/** @param {"queueScreen" | "meScreen" | "leaveScreen" | "positionsScreen"} screen @returns {(context: ScreenContext) => Promise<PhoneScreen>} */
function lazyScreen(screen) {
  return async (context) => (await loadLazyScreens())[screen](context);
}

// Leads on to what comes next.
/** @param {JobContext} context */
const nextScreen = ({ job, matrix, wizard }) => redirect(nextUrl(job, matrix, wizard));

/** @type {Record<string, ((context: ScreenContext) => MaybeScreen) | undefined>} */
const PHONE_SCREENS = {
  "/phone/": dayScreen,
  "/phone/queue/": lazyScreen("queueScreen"),
  "/phone/me/": lazyScreen("meScreen"),
  "/phone/me/leave/": lazyScreen("leaveScreen"),
  "/phone/me/positions/": lazyScreen("positionsScreen"),
};

/** @type {Record<string, ((context: JobContext) => MaybeScreen) | undefined>} */
const JOB_SCREENS = {
  "": jobScreen,
  next: nextScreen,
  travel: travelScreen,
  arrive: arriveScreen,
  question: questionScreen,
  scan: scanScreen,
  provisioning: provisioningScreen,
  line: async (context) => (await loadLazyScreens()).lineScreen(context),
  review: reviewScreen,
  "cant-complete": cantCompleteScreen,
  close: closeScreen,
  "hand-over": handOverScreen,
};

/** @param {ScreenAddress} address @param {ScreenContext} context @returns {MaybeScreen} */
export function screenFor({ path, search, moved }, context) {
  const whole = PHONE_SCREENS[path.replace(/\/*$/, "/")];
  if (whole) return whole(context);
  const parts = path.replace(/^\/phone\//, "").split("/").filter(Boolean);
  const [kind, id, name = "", code = ""] = parts;
  if (kind !== "jobs" || !id) return noSuchPageScreen();
  const job = context.day.jobs.find((candidate) => candidate.id === decodeURIComponent(id));
  if (!job) return notFoundScreen({ ...context, id: decodeURIComponent(id) });
  const screen = Object.hasOwn(JOB_SCREENS, name) && JOB_SCREENS[name];
  if (!screen) return noSuchPageScreen(job);
  if (name && isSecond(job)) return redirect(jobUrl(job));
  const matrix = context.day.matrices[job.matrix];
  return screen({ ...context, path, moved, job, matrix, code, wizard: parseWizard(search), search: new URLSearchParams(search) });
}
