// The phone's day and its jobs as phone/day_payload.py serializes them.
// Moments are ISO 8601 texts with an offset unless a comment says otherwise.

interface ServerDay {
  /** The date of this list, `2026-11-23`. */
  day: string;
  /** The dates for people, in the language of the engineer. */
  day_words: string;
  tomorrow_words: string;
  /** The site's, in which the server writes times for people, `Europe/London`. */
  time_zone?: string;
  /** The first staff number, which stays when that is changed. */
  engineer: string;
  name: string;
  /** Hex digits: the key with which an offline export is signed. */
  export_key?: string;
  /** Code of the language in which the server speaks to this engineer. */
  language?: string;
  languages?: { code: string; name: string }[];
  jobs: ServerJob[];
  /** Jobs that cannot be shown, with the reason. */
  broken?: { id: string; words: string }[];
  /** What to load in the morning, each with the postcodes of its jobs. */
  kit?: { text: string; places: string }[];
  /** Names of manufacturers by the first four letters of an FSAN. */
  vendors?: Record<string, string>;
  office_phone?: string;
  /** Jobs that were taken off this engineer since yesterday. */
  gone?: { id: string; address: string; rule: string; at: string; words: string }[];
  check_in?: RunningTimer | null;
  /** Whether the engineer agreed to share an approximate location while driving. */
  shares_position?: boolean;
  /** Question matrices by their edition. */
  matrices: Record<string, Matrix>;
  csrf_token: string;
}

/** A day, and by how many milliseconds this phone's clock was ahead of the server's when it came; 0 while it is right. */
interface FetchedDay extends ServerDay {
  clock_ahead?: number;
}

/** A day as it is kept on this phone. */
interface StoredDay extends FetchedDay {
  /** When it came: milliseconds of this phone's clock. */
  fetched_at: number;
  /** Of the queue when the day was asked for (queue.js). */
  revision?: number;
}

/** The day as the engineer sees it: with the queue of this phone applied (optimistic_state.js). */
interface Day extends Omit<StoredDay, "jobs"> {
  jobs: Job[];
}

type JobState = "unassigned" | "assigned" | "en_route" | "on_site" | "closed" | "cancelled";
type JobType = "installation" | "revisit" | "external" | "civils";

interface ServerJob {
  /** Our number of the job. */
  id: string;
  type: JobType;
  state: JobState;
  /** Another one as soon as anything of the job is another one. */
  version: string;
  /** Whether the office holds it back: nobody sets off for it. */
  held?: boolean;
  /** The appointment promised to the customer. */
  window: Span;
  /** When the visit is meant to happen. */
  planned: Span;
  /** The colleague at the same visit. The second engineer reads the job; the first one works through it. */
  team?: { is_second: boolean; name: string; call_url: string } | null;
  address: string;
  /** Degrees, null while nobody knows the place. */
  latitude: number | null;
  longitude: number | null;
  /** Codes of property flags. */
  flags: string[];
  product: string;
  contact: { name: string; phone: string };
  hazards: string;
  access: string;
  notes: string;
  ont_location: string;
  /** What the seller sent about its network here; `type` decides which values are usual. */
  network?: Record<string, unknown>;
  /** Whether an ONT is scanned in a job of this type. */
  has_ont_scan: boolean;
  expected_ont: OntValues & { vendor?: string; model?: string };
  page: JobPage;
  scan: OntScan | null;
  result: { result_id: number; success: boolean } | null;
  advice: Advice | null;
  /** The newest check of its line. */
  line_check: LineCheck | null;
  /** Why the line of this job cannot be checked, in the reader's language; "" where it can. */
  line_unavailable: string;
  /** By photo id. */
  photos?: Record<string, JobPhoto>;
  notices?: JobNotice[];
  /** What the office wants to be answered again, with its reason. */
  sent_back?: { question: string; reason: string }[];
  handover_requested: boolean;
  /** By question code: the name of the colleague who answered it. */
  answered_by: Record<string, string>;
  /** Closure code, or "" while it is open. */
  closed_as: string;
  /** Edition of its question matrix. */
  matrix: string;
  /** By question code. */
  answers: Record<string, AnswerValue>;
  /** Every way in which it may be closed: at least one success, and Other reason. */
  closures: ClosureCode[];
  /** Closed here, and still to be approved by the office. */
  in_review?: boolean;
  /** Whether the server counts it as today's. */
  is_today?: boolean;
}

/** A job with what this phone has done to it. */
interface Job extends ServerJob {
  /** Entries of the queue that wait to be sent. */
  pending: number;
  /** Entries that the server refused. */
  refused: QueueRow[];
  /** The last entry that came too late to change the job. */
  late?: QueueRow;
  /** As it was closed on this phone. */
  closure?: EntryBodies["close"] & { closed_at: string };
}

interface Span {
  start: string;
  end: string;
}

/** What was scanned last. */
interface OntScan extends OntValues {
  scanned_at: string;
  /** Whether it is on this phone only. */
  is_pending?: boolean;
}

/** A photo of a job: what the server knows of it, and the row of the queue that announced it here. */
interface JobPhoto {
  question?: string;
  /** Name of the engineer who took it, "" when that is not known. */
  by?: string;
  stored?: boolean;
  /** Of the bytes as the phone had them, "" where it knew none. */
  sha256?: string;
  /** Of the photo before an arrow was drawn on it, "" for any other. */
  original_sha256?: string;
  /** Address of a thumbnail, "" where there is none. */
  url?: string;
  row?: QueueRow;
}

interface JobNotice {
  rule: string;
  at: string;
  words: string;
}

/** What the job's pages show, in the reader's language. */
interface JobPage {
  kind: string;
  /** One line. */
  address: string;
  street: string;
  address_lines: string[];
  /** Planned start, `10:00`. */
  starts: string;
  /** The appointment with its date, and its hours alone. */
  window: string;
  window_hours: string;
  planned: string;
  /** Links, "" where there is nothing to call or to go to. */
  call_url: string;
  message_url: string;
  navigate_url: string;
  contact: JobFact[];
  cautions: { slug: string; icon: string; title: string; text: string }[];
  flags: { code: string; icon: string; label: string }[];
  work: JobFact[];
  fault: JobFact[];
  expected_ont: JobFact[];
  network: JobFact[];
  earlier: { day: string; kind: string; how: string }[];
  ended?: JobOutcome | null;
}

interface JobFact {
  name: string;
  value: string;
  is_code?: boolean;
}

/** How a job looks in a list: the class of its colour, its icon and its label. */
interface StateStyle {
  slug: string;
  icon: string;
  word: string;
}

interface JobOutcome {
  slug: string;
  icon: string;
  title: string;
  text: string;
}

/** What to do while the seller provisions an ONT (phone/provisioning_advice.py). */
interface Advice {
  title: string;
  text: string;
  tone: "good" | "calm" | "warning" | "alarm";
  icon?: string;
  /** End of a countdown. */
  until?: string | null;
  /** Telephone number of the order desk. */
  call?: string;
  /** What is true after `overdue_at`. */
  overdue_at?: string | null;
  overdue?: Advice | null;
  scan_again?: boolean;
  /** Whether a result is awaited. */
  is_waiting?: boolean;
}

/** What the seller's test of a line found (phone/line_results.py), in the reader's language. */
interface LineCheck {
  checked_at: string;
  is_down: boolean;
  title: string;
  /** What to do. */
  text: string;
  tone: Advice["tone"];
  /** ONT, connection and port. */
  parts: LineCheckPart[];
  /** The nodes between the ONT and the network, by their path. */
  paths: { name: string; nodes: LineCheckNode[] }[];
  /** The seller's code of what to do. */
  code: string;
  /** The result as an answer to a question of the matrix, in English for the seller. */
  answer: string;
}

interface LineCheckPart {
  name: string;
  slug: "good" | "alarm" | "warning" | "unknown";
  state: string;
  /** When the seller's network saw it last, null where it never did. */
  since: string | null;
  /** What it was before, "" where that is not known. */
  before: string;
}

interface LineCheckNode {
  name: string;
  slug: "green" | "orange" | "red" | "unknown";
  /** The colour in words. */
  colour: string;
}

/** The answer to a request to check a line. */
type LineCheckAnswer = { line_check: LineCheck };

interface RunningTimer {
  job: string;
  started_at: string;
  due_at: string;
  /** Whether the office does not know of it yet. */
  isPending?: boolean;
}
