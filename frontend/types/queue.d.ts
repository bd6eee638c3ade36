// What was done on this phone and is sent to the server (static/js/phone/app/queue.js).
// Moments are ISO 8601 texts with an offset unless a comment says otherwise.

/** The body of each kind of entry; phone/serializers.py checks it. */
interface EntryBodies {
  en_route: { position: Position };
  on_site: { position: Position; matrix: string };
  driving: { position: Position };
  answered: { question: string; value: AnswerValue; unfinished?: true };
  answer_withdrawn: { question: string };
  photo_taken: PhotoBody;
  ont_scanned: OntValues & { scan_id: string; source: string; duplicate_confirmed: boolean };
  check_in: { minutes: number };
  check_in_done: Record<string, never>;
  handover_requested: { reason: string; unfinished?: true };
  close: { code: string; secondary_code: string; remarks: string; checked?: string[] };
}

type EntryKind = keyof EntryBodies;
/** The taps that move a job to another state. */
type MoveKind = "en_route" | "on_site" | "close";

interface EntryOf<Kind extends EntryKind> {
  /** The same however often it is sent. */
  message_id: string;
  kind: Kind;
  /** Id of the job. */
  job: string;
  occurred_at: string;
  body: EntryBodies[Kind] & { unfinished?: true } & (Kind extends "answered" | "answer_withdrawn" | "photo_taken" ? unknown : { question?: undefined });
}

/** One thing that the engineer did, as the server gets it. */
type QueueEntry = { [Kind in EntryKind]: EntryOf<Kind> }[EntryKind];

interface PhotoBody {
  photo_id: string;
  /** Code of the question that it answers. */
  question: string;
  /** Of the bytes, in hex digits; "" where the browser has none. */
  sha256: string;
  taken_at: string;
  source: string;
  checks?: PhotoChecks & { used_anyway: boolean };
  /** Of the photo before an arrow was drawn on it. */
  original_sha256?: string;
  signer?: string;
  position?: Position;
}

/** Each true when something is wrong. */
interface PhotoChecks {
  blur: boolean;
  dark: boolean;
  unreadable: boolean;
}

/** Degrees and metres, or why there is no position. */
type Position = { latitude: number; longitude: number; accuracy_metres?: number } | { missing_because: string };

/** The bytes of a photo, in the store `photos`. */
interface Picture {
  id: string;
  bytes: ArrayBuffer;
  sha256: string;
}

interface QueueRow {
  /** Its place in the order of the taps. */
  at: number;
  entry: QueueEntry;
  /** Only on this phone; the server has it; the server did not apply it. */
  state: "pending" | "synced" | "refused";
  /** Id of the photo whose bytes must follow, and how many bytes. */
  photo: string | null;
  bytes: number;
  /** Whether the server knows of the photo and waits for its bytes. */
  announced?: boolean;
  /** Of the server's answer to it. */
  revision?: number;
  /** "applied", "already", "late", "refused", or "" before the server's answer. */
  outcome: string;
  problems: Problem[];
  /** Of a closing that was refused: ids of the photos that the job's answers named at its tap. */
  pictures?: string[];
  /** Milliseconds of this phone's clock until which a position may be coming. */
  hold_until: number;
}

/** A row that has no place yet. */
type NewRow = Omit<QueueRow, "at"> & { at?: number };

/** What a button does: an entry to be, with the photo that travels with it. */
type Tap = {
  [Kind in EntryKind]: { kind: Kind; body: EntryBodies[Kind]; picture?: Picture | null; holdUntil?: number; occurredAt?: Date };
}[EntryKind];

/** A tap at a job, by its id. */
type JobTap = Tap & { job: string };

/** Why the server refused something: `where` is the member of the message or the step that mends it. */
interface Problem {
  code: string;
  where?: string;
  message: string;
  blocks?: boolean;
}

/** What became of one entry. */
interface SyncResult {
  message_id: string;
  outcome: string;
  problems: Problem[];
  /** The job as it is now, null where it is not this engineer's. */
  job?: { id: string; state: JobState } | null;
}

/** The answer to a batch of entries. */
interface SyncAnswer {
  results: SyncResult[];
  csrf_token: string;
  clock_words: string;
}

/** The answer to a batch that is refused as a whole. */
interface Refusal {
  error: string;
  where: string;
  message: string;
}

/** The job and its matrix after a tap. */
interface CurrentJob {
  job: Job;
  matrix: Matrix;
}

interface SendStatus {
  state: "idle" | "sending" | "waiting" | "signed_out" | "broken";
  /** The photo on its way and how much of it is there, 0 to 1. */
  photo: { id: string; part: number } | null;
  /** How many rounds in a row the server has ended with an error, since this page was opened; 0 without signal. */
  serverErrors: number;
}

/** A row that announced a photo. */
type PhotoRow = QueueRow & { photo: string; entry: EntryOf<"photo_taken"> };

type RefusedClosing = Pick<QueueRow, "problems" | "pictures"> & { entry: Pick<EntryOf<"close">, "body"> };

type RefusedScan = QueueRow & { entry: EntryOf<"ont_scanned"> };

type EntryEffect = (job: Job, entry: QueueEntry, row: QueueRow) => void;
type EntryDescription = (entry: QueueEntry, question: Question | undefined, closures: ClosureCode[]) => string;
