// What the board's templates (templates/board) write into their elements for static/js/board.

type DataOf<Data> = DOMStringMap & Readonly<Data>;

/** The whole page. */
interface BoardElement extends HTMLElement {
  /** Addresses and texts: of its version, the version itself, and "offline since {time}"; the day on show, and today. */
  readonly dataset: DataOf<{ versionUrl: string; version: string; view: string; day: string; today: string; offline: string; streamUrl: string } & RefusalTexts>;
}

/** Why there is no answer of an action: offline, none in time ("no answer": it may be saved), signed out, a page that is out of date ("reload"), or an error {status}. */
interface RefusalTexts {
  notSent: string;
  noAnswer: string;
  maybeSaved: string;
  notSaved: string;
  outOfDate: string;
  reload: string;
  serverFailed: string;
}

/** The lanes of the engineers. */
interface SheetElement extends HTMLElement {
  /** The first moment of the day, how many quarter hours it has, and texts for an answer. */
  readonly dataset: DataOf<{ start: string; quarters: string; refused: string; locate: string; dismiss: string } & OverrideTexts>;
}

interface OverrideTexts {
  override: string;
  overrideReason: string;
  reasonMissing: string;
  instead: string;
  done: string;
  several: string;
  /** "{job} is pinned", where this user may unpin it. */
  pinned?: string;
}

interface LaneElement extends HTMLElement {
  /** Staff number and name. */
  readonly dataset: DataOf<{ engineer: string; name: string }>;
}

/** What the dispatcher sees of a job: its number, and the version of the plan. */
interface MovableJob {
  job: string;
  version: string;
}

interface JobCard extends HTMLElement {
  /** `minutes` of the visit, `starts` its start where its place does not say it, `window` the classes of the appointment's band; `canMove` is there when it may be moved, `canHold` when it may be held, `pinned` ("1" or "") when it is pinned or may be. */
  readonly dataset: DataOf<MovableJob & { title: string; minutes: string; starts?: string; window?: string; canMove?: string; canHold?: string; pinned?: string } & CardFacts>;
}

/** What filters look at; `skills` are codes with spaces between. */
interface CardFacts {
  kind: string;
  halfDay: string;
  area: string;
  skills: string;
  risk: "none" | "at-risk" | "late";
}

/** Which jobs are shown; an empty value stands for all. */
interface JobFilter {
  text: string;
  /** the half of the day in which it lies (board/day/half_days.py) */
  window: string;
  kind: string;
  skill: string;
  area: string;
  risk: string;
  group: string;
}

/** The saved filters after one was saved or changed (board/saved_filters.py); none where nothing was sent. */
interface SavedFiltersAnswer {
  ok: boolean;
  html?: string;
}

interface FilterBox {
  box: HTMLElement;
  form: HTMLFormElement;
  chosen: JobFilter;
}

/** Speaks to a screen reader while a card is moved with the keyboard. */
interface AnnouncementElement extends HTMLElement {
  readonly dataset: DataOf<{ moving: string; at: string; cancelled: string }>;
}

/** The answer to a move (board/jobs/actions.py). */
type MoveAnswer = { ok: true; messages?: AnswerMessage[]; rows?: JobResult[] } | RefusedMove;

/** What the next page would show; `level` as in the class of a notice. */
interface AnswerMessage {
  level: string;
  html: string;
}

/** `job` and `title` where several jobs were changed: whose refusal it is. `other_job` is named in the message, as `other_title`. */
interface MoveProblem {
  message: string;
  code?: string;
  where?: string;
  can_override?: boolean;
  job?: string;
  title?: string;
  other_job?: string;
  other_title?: string;
}

interface RefusedMove {
  ok: false;
  problems: MoveProblem[];
  /** What would work: staff numbers and names, the start as a moment and as text. `second_engineer` is "" for nobody. */
  suggestions: { engineer: string; second_engineer: string; name: string; text: string; starts_at: string }[];
  /** Of the plan as it is now. */
  version: string;
  /** Whose suggestions these are. */
  job?: string;
  /** Written by this page: the server has decided nothing, or nobody knows what. */
  isLocal?: boolean;
}

/** Whatever a form of the board is answered with: of an action, of saved filters, signed out, or too often. */
type ServerAnswer = Partial<Omit<RefusedMove, "ok">> & { ok?: boolean; html?: string; address?: string; message?: string };

/** What became of one of several jobs. */
interface JobResult {
  job: string;
  title: string;
  ok: boolean;
  text: string;
}

type BulkAnswer = { ok: true; rows: JobResult[] } | RefusedMove;

/** Where a card would be dropped: on the waiting jobs, or in a lane at a quarter hour. */
interface WaitingTarget {
  waiting: HTMLElement;
  lane?: undefined;
  step?: undefined;
}

interface LaneTarget {
  lane: LaneElement;
  step: number;
  /** Right of the middle of what is on show. */
  isLeftward: boolean;
  waiting?: undefined;
}

/** A card in the hand of a mouse. */
interface CardDrag {
  card: JobCard;
  /** Where it was taken, in pixels of the window. */
  from: [x: number, y: number];
  /** Quarter hours from the card's left edge. */
  grip: number;
  begun: boolean;
  target: WaitingTarget | LaneTarget | null;
}

/** The board in pixels of the window: `names` ends the row heads, `hours` the line of hours above the rows. */
interface BoardGeometry {
  lanes: DOMRect;
  waiting: DOMRect;
  axis: DOMRect;
  names: number;
  hours: number;
  rows: { lane: LaneElement; top: number; bottom: number }[];
}

/** A card that the arrow keys move: its lane and its quarter hour. */
interface CardMove {
  card: JobCard;
  lanes: LaneElement[];
  lane: number;
  step: number;
}

interface BoardKeys {
  announcement: AnnouncementElement;
  moving: CardMove | null;
}

interface LiveBoard {
  board: BoardElement;
  version: string;
  busy: boolean;
  /** Whether something changed while it was busy. */
  again: boolean;
  /** Whether the page could not be fetched: what was asked for last is not on show. */
  isStale: boolean;
  /** Parts that somebody was filling in when they changed. */
  skipped: HTMLElement[];
  offlineSince: Date | null;
  /** The job or engineer whose panel a key has opened, until the focus is in it. */
  openedByKey: string;
  /** Whether the stream brings changes; otherwise the board asks. */
  isStreaming: boolean;
}

/** What can be filled in. */
type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface DocumentEventMap {
  "board:changed": CustomEvent;
  "board:saved": CustomEvent<{ job: string; path: string }>;
  "board:free": CustomEvent;
  "board:idle": CustomEvent;
  "board:swapped": CustomEvent;
}

/** A colleague who has a job open or moves its card (board/presence.py). */
interface BoardVisitor {
  user: number;
  name: string;
  job: string;
  activity: "open" | "moving";
}

/** Parts of the page by element id; `is_personal` when also the reader's own parts have changed. */
interface BoardChange {
  version: string;
  today: string;
  parts: Record<string, string>;
  jobs: string[];
  is_personal: boolean;
}

/** The events of the board's stream (board/stream/board_watch.py), and its loss. */
interface StreamHandlers {
  hello(greeting: { version: string; visitors: BoardVisitor[] }): void;
  change(change: BoardChange): void;
  reload(notice: { version: string }): void;
  presence(notice: { visitors: BoardVisitor[] }): void;
  lost(): void;
}

/** The search field of the office's pages with its results; `active` is the chosen option's index, -1 for none. */
interface SearchBox {
  form: HTMLFormElement;
  input: HTMLInputElement;
  popup: HTMLElement;
  status: HTMLElement;
  options: HTMLAnchorElement[];
  active: number;
  timer: number;
  request: AbortController | null;
}
