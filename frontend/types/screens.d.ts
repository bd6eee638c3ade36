// The screens of the phone (static/js/phone/app/screens) and what they are given.

/** What an engineer is on the way to, kept in the address. */
interface Wizard {
  /** Closure code that is no success, or "". */
  closing: string;
  secondary: string;
  /** Whether questions are answered while a result is awaited. */
  whileWaiting: boolean;
  /** Code of the question that was answered last. */
  after: string;
}

interface Step {
  name: string;
  label: string;
  url: string;
}

/** An address of the application, and whether somebody went there just now. */
interface ScreenAddress {
  path: string;
  search: string;
  moved: boolean;
}

interface PhoneScreen {
  name: string;
  title: string;
  body: NestedChild;
  /** Called when the page stands. */
  shown?(page: Element | null): void;
}

/** Null: another screen comes in its place. */
type MaybeScreen = PhoneScreen | null | Promise<PhoneScreen | null>;

interface ScreenContext {
  day: Day;
  rows: QueueRow[];
  /** What was begun for jobs whose pages nobody can open now. */
  unfinished: BegunWork[];
  /** Asks the server for the day. */
  refresh(): Promise<void>;
}

interface JobContext extends ScreenContext {
  path: string;
  moved: boolean;
  job: Job;
  matrix: Matrix;
  /** Code of the question in the address. */
  code: string;
  wizard: Wizard;
  search: URLSearchParams;
}

/** A problem on the page: `url` leads to what mends it, `field` is the name of the field. */
interface ScreenProblem {
  message: string;
  url?: string;
  field?: string | undefined;
  code?: string;
  blocks?: boolean;
  /** FSAN of the device that it speaks of. */
  device?: string | undefined;
}

/** What one page of a step shows between its header and its large button. */
interface StepContent {
  name: string;
  title: string;
  /** Where Back leads. */
  back?: string;
  /** Besides those of the last tap. */
  problems?: ScreenProblem[];
  body: NestedChild;
  /** Ways on besides the large button. */
  ways?: NestedChild;
  bar?: NestedChild;
}

/** The question of a page, and what is known of its answer. */
interface AskedQuestion<Kind extends Question = Question> {
  question: Kind;
  answer: AnswerValue | undefined;
  isAnswered: boolean;
  draft: Draft | null;
  problems: ScreenProblem[];
  /** Validates and keeps what `value` gives. */
  save(value: () => string): Promise<void>;
  /** Where it goes on after a tap. */
  onward(after: CurrentJob): string;
  nextUrl: string;
}

/** What a kind of answer puts into the page. */
interface FieldParts {
  body: NestedChild;
  bar: NestedChild;
}

/** What a photo or signature field gives: a picture to be kept together with its answer. */
interface TakenPhoto {
  picture: Picture;
  body: PhotoBody;
  /** Resolves always. */
  position?: Promise<Position> | null;
  /** Whether another one of the same question follows. */
  more?: boolean;
}

interface PhotoFieldOptions<Kind extends Question = Question> {
  job: Job;
  question: Kind;
  /** Ids of the photos of the answer so far. */
  stored?: string[];
  nextUrl?: string;
  /** Keeps the photo and moves on; whether it did. */
  onTaken(taken: TakenPhoto): Promise<boolean>;
  /** Why a picture with this hash is no photo of the question; "" for a good one. */
  refuse?(sha256: string): Promise<string>;
}

/** Whoever worked on this phone. */
type PhoneOwner = Pick<ServerDay, "engineer" | "name" | "export_key">;

/** The closure that a page is about. */
interface Ending {
  job: Job;
  closure: ClosureCode;
  secondary: string;
  wizard: Wizard;
  /** Under which its remarks and ticks are drafted. */
  url: string;
  draft: Draft;
  problems: ScreenProblem[];
}

/** Setting off or arriving. */
interface MovementStep {
  name: string;
  title: string;
  heading: string;
  /** Heading of the cautions. */
  cautions?: string;
  kind: "en_route" | "on_site";
  hint: string;
  /** Of the button: where nothing must be read before, and where something must. */
  words: [plain: string, read: string];
  ways?: NestedChild;
  /** Whether the cautions were read on the page before. */
  isRead?: boolean;
}

/** phone/location_api.py: the rules in sentences, and what is stored. */
interface StoredPositions {
  words: string[];
  /** Degrees. */
  positions: { at: string; words: string; latitude: number; longitude: number }[];
  /** Whether, and since when, an approximate location is shared while driving. */
  agreed: boolean;
  agreed_at: string | null;
  /** For how many days a rounded and an exact location is kept. */
  kept_days: number;
  exact_days: number;
}

/** static/js/phone/scan/scan_field.js, which is loaded when it is wanted. */
type Scanner = typeof import("../../static/js/phone/scan/scan_field.js");
