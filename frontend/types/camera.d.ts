// What passes between the parts of the camera (static/js/phone/app/camera).

/** In pixels. */
interface Size {
  width: number;
  height: number;
}

/** A JPEG, or a HEIC that only the server can read. `sha256` in hex digits, "" where the browser has none. */
interface EncodedPhoto {
  bytes: ArrayBuffer;
  sha256: string;
}

/** A photo that was encoded and checked. */
interface PreparedPhoto extends EncodedPhoto {
  checks: PhotoChecks;
}

/** What a canvas draws. */
type DrawnPhoto = ImageBitmap | HTMLCanvasElement;

/** Why a file is no photo; the codes of the server. */
type ImageProblem = "empty" | "wrong_type" | "unreadable";

/** The camera in the page while its film runs. */
interface PhotoCamera {
  still(): Promise<Blob | ImageBitmap>;
  stop(): void;
  ended(): boolean;
}

/** What a photo field shows now. */
interface FieldStage {
  /** Whether something is in hand that a new page must not end. */
  busy: boolean;
  content: (Node | string | false | null | undefined | Node[])[];
  /** The one large button. */
  main: HTMLElement;
}

interface PhotoField extends Required<PhotoFieldOptions<PhotoQuestion>> {
  body: HTMLElement;
  bar: HTMLElement;
  /** Asked once for each photo. */
  position: Promise<Position> | null;
  /** Whether the last photo came from the camera in the page. */
  isLive: boolean;
  /** Whether the focus was in the field and goes to its large button, as soon as that can be pressed. */
  wantsFocus: boolean;
}

interface SignatureField {
  job: Job;
  question: Question;
  onTaken: PhotoFieldOptions["onTaken"];
  refuse: NonNullable<PhotoFieldOptions["refuse"]>;
  pad: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  strokes: Strokes;
  body: HTMLElement;
  bar: HTMLElement;
  /** Of the person who signs. */
  name: HTMLInputElement;
  isAnswered: boolean;
  nextUrl: string;
}

/** Places are parts of the pad's width and height, 0 to 1. */
type Stroke = readonly Point[];
type Strokes = readonly Stroke[];

/** Places are parts of the photo's width and height, 0 to 1. */
interface Arrow {
  tail: Point;
  tip: Point;
}

interface ArrowDrawing {
  picture: ImageBitmap;
  paper: HTMLCanvasElement;
  arrows: Arrow[];
  /** The one that is being drawn. */
  now: Arrow | null;
}
