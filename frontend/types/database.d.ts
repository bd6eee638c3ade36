// What is kept in IndexedDB on this phone (static/js/phone/app/database.js).

/** Half-typed text by the name of its field. */
type Draft = Record<string, string>;

/** A photo that was taken and is not kept yet. */
interface PendingPhoto extends Picture {
  /** Id of the job. */
  job: string;
  /** Code of the question. */
  question: string;
  checks: PhotoChecks;
  source: string;
  taken_at: string;
  original_sha256?: string;
  /** Where it is stored, of one that was. */
  key?: PhotoKey;
}

type PhotoKey = `photo taken ${string}`;

/** What was begun on a page of a job: a photo, or a draft, which is {} for a photo. */
interface BegunWork {
  key: ValueKey;
  address: string;
  isPhoto: boolean;
  draft: Draft;
}

/** With what its card shows of it. */
interface UnfinishedCard extends BegunWork {
  photo: PendingPhoto | null;
}

/** The store `values` by key. */
interface StoredValues {
  day: StoredDay;
  /** Counts the server's answers. */
  revision: number;
  csrf: string;
  /** The server's warning about this phone's clock, "" when it is right. */
  clock_words: string;
  /** Of the engineer, kept when the day is removed. */
  name: string;
  export_key: string;
  /** Since when nobody is signed in, milliseconds of this phone's clock; 0 while somebody is. */
  locked_at: number;
  /** Bytes of noise that keep room free. */
  reserve: ArrayBuffer;
  /** Whether this engineer has turned them on here. */
  notifications_on: boolean;
  photos_on_wifi_only: boolean;
  photos_over_mobile: boolean;
  /** When a position was sent while driving, milliseconds of this phone's clock. */
  driving_at: number;
  [photo: PhotoKey]: PendingPhoto;
  [draft: `draft ${string}`]: Draft;
}

// Of IndexedDB's object stores what the phone uses, with what is kept in each.

interface QueueStore {
  get(at: number): IDBRequest<QueueRow | undefined>;
  getAll(): IDBRequest<QueueRow[]>;
  /** Gives its place. */
  add(row: NewRow): IDBRequest<number>;
  put(row: QueueRow): IDBRequest<number>;
  delete(at: number): IDBRequest<undefined>;
}

interface PhotoStore {
  get(id: string): IDBRequest<Picture | undefined>;
  getAllKeys(): IDBRequest<string[]>;
  put(picture: Picture): IDBRequest<string>;
  delete(id: string): IDBRequest<undefined>;
}

type ValueKey = keyof StoredValues & string;

interface ValueStore {
  get<Key extends ValueKey>(key: Key): IDBRequest<StoredValues[Key] | undefined>;
  put<Key extends ValueKey>(value: StoredValues[Key], key: Key): IDBRequest<string>;
  delete(key: ValueKey): IDBRequest<undefined>;
  getAllKeys(range?: IDBKeyRange): IDBRequest<ValueKey[]>;
}

interface Stores {
  queue: QueueStore;
  photos: PhotoStore;
  values: ValueStore;
}

/** `work` of a transaction over these stores: makes requests, and may wait for them only. */
type StoreWork<Name extends keyof Stores, Result> = (stores: Pick<Stores, Name>) => Result | PromiseLike<Result>;

/** What is on this phone only: how many entries, and the addresses of what was begun. */
interface Unsent {
  entries: number;
  begun: string[];
}

interface PhoneStorage {
  /** Bytes, or null when the browser does not say. */
  left: number | null;
  low: boolean;
  /** Whether the browser promises to keep the data; null when it does not say. */
  persisted: boolean | null;
}
