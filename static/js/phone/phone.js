// The phone's page: finds what is on it and starts the part that looks after it.
// Every page works as plain forms without this; here taps get their own time, place and id.

import { watchSteps } from "./step.js";
import { watchPhotos } from "./photo.js";
import { watchPulse } from "./pulse.js";
import { watchFields } from "./fields.js";

watchSteps(document);
watchPhotos(document);
watchPulse(document);
watchFields(document);
