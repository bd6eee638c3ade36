// The screens of a job: a bundle of their own, which the first page does not wait for.

export { cantCompleteScreen } from "./cant_complete_screen.js";
export { closeScreen } from "./close_screen.js";
export { handOverScreen } from "./hand_over_screen.js";
export { jobScreen } from "./job_screen.js";
export { provisioningScreen } from "./provisioning_screen.js";
export { questionScreen } from "./question_screen.js";
export { reviewScreen } from "./review_screen.js";
export { scanScreen } from "./scan_screen.js";
export { arriveScreen, travelScreen } from "./travel_screen.js";
