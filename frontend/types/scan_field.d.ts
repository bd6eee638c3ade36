// What the scanner keeps while a label is scanned on the page (static/js/phone/scan).

/** One attempt gives codes; all of them give texts that were confirmed. */
type DecodedBy<How extends DecodeOptions> = How extends { attempt: number } ? ScannedCode : string;

/** FSAN and serial number of an ONT. */
interface OntValues {
  fsan: string;
  serial_number: string;
}

interface ScanCamera {
  video: HTMLVideoElement;
  stream: MediaStream;
  /** How many times larger the label is shown. */
  zoom: number;
  /** Whether the middle is cut out because the lens cannot zoom. */
  isCropped: boolean;
  /** Whether the next lens is being opened: no film for a moment. */
  isSwitching: boolean;
  /** Whether it was closed, also while a lens was being opened. */
  isStopped: boolean;
  /** Gives back the wake lock and the listeners. */
  letGo(): void;
}

/** What the scanner found; `canvas` is null where this browser cannot open the file. */
interface ScanFound {
  label: ParsedLabel;
  codes: string[];
  canvas: HTMLCanvasElement | null;
}

interface ScanShown extends ScanFound {
  vendors: VendorFile;
  takenAt: Date;
  /** The file that was chosen, where it was not the camera. */
  file?: File;
}

/** What the frames of one scan have brought so far. */
interface ScanProgress {
  codes: Set<string>;
  tally: CodeTally;
  /** When the first label was understood in part, milliseconds since the page began; 0 before. */
  since: number;
  /** The frame on which most was read. */
  lastFrame: HTMLCanvasElement;
}

/** The values as they would be taken over, and the picture on which they were read. */
interface ScanReading extends OntValues {
  found: ScanShown;
}

/** The picture of a label and its description: a photo_taken of the queue. */
interface LabelPhoto {
  picture: Picture;
  body: EntryBodies["photo_taken"];
  /** An address of the picture on this page, once it was shown. */
  url?: string;
}

/** What the engineer confirmed. */
interface ScanAccepted extends OntValues {
  source: "camera" | "typed";
  label: LabelPhoto | null;
}

type ScanPhase = "idle" | "no_camera" | "camera" | "reading" | "part" | "whole";

interface ScanField {
  container: HTMLElement;
  onRead(accepted: ScanAccepted): unknown;
  /** Draws the page again. */
  onPhase(): Promise<void>;
  /** The last drawing that the field has asked for. */
  drawn: Promise<void> | null;
  expected: ExpectedValues;
  /** Counts what was put into the field: a newer round ends the one before. */
  round: number;
  phase: ScanPhase;
  hasCamera: boolean;
  reading: ScanReading | null;
}
