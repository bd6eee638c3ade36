// Leads on to what comes next.

import { instead } from "../router.js";
import { nextUrl } from "../steps.js";

export const nextScreen = ({ job, matrix, trail }) => instead(nextUrl(job, matrix, trail));
