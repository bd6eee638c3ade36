// QR codes of which a lamp's spot or a scratch has taken one of the three finders, the squares in its corners. A reader
// needs all three before it begins, though the code's error correction would bear the loss. So the lost one is drawn again
// where the other two imply that it was. closures/photos/finders.py does the same.

const THRESHOLD = 128;
const WHITE = 224;
// rows between two looks for a finder; the smallest module that is looked for, in pixels
const STRIDE = 2;
const SMALLEST = 1.4;
// a label has few codes; more would be noise
const MOST_FINDERS = 5;
const MOST_TRIES = 10;
// modules between the middles of two finders: 14 in version 1, four more in each version
const SHORTEST = 14;
const STEP = 4;
const VERSIONS = 8;
const SHIFTS = [-1.5, -1, -0.5, 0, 0.5, 1, 1.5];
const RATIOS = [1, 1, 3, 1, 1];
const PATTERN = [-3, -2, -1, 0, 1, 2, 3].flatMap((across, _at, all) => all.map((down) => [across, down]));

// Small pictures of codes whose third finder was drawn again, the likeliest first.
/** @param {GreyPicture} grey */
export function repairFinders(grey) {
  const found = locateFinders(grey);
  const pairs = found.flatMap((finder, at) => found.slice(at + 1).map(/** @returns {[Finder, Finder]} */ (other) => [finder, other]));
  const tried = pairs.flatMap(([finder, other]) => missingFinder(finder, other)).map((lost) => settled(lost, grey));
  tried.sort((left, other) => other.likeness - left.likeness);
  return tried.slice(0, MOST_TRIES).map(({ lost }) => drawn(grey, lost));
}

// What is 1:1:3:1:1 along a row and along the column through its middle, {x, y, module}, the surest first.
/** @param {GreyPicture} grey @returns {Finder[]} */
export function locateFinders(grey) {
  /** @type {Finder[][]} */
  const heaps = [];
  for (let y = 0; y < grey.height; y += STRIDE) {
    for (const x of middles(grey, y)) {
      const found = crossed(grey, x, y);
      if (!found) continue;
      const heap = heaps.find(([first]) => isSame(first, found));
      if (heap) heap.push(found);
      else heaps.push([found]);
    }
  }
  heaps.sort((left, other) => other.length - left.length);
  return heaps.slice(0, MOST_FINDERS).map(mean);
}

/** @param {GreyPicture} grey @param {number} x @param {number} y */
const isInk = ({ data, width, height }, x, y) =>
  x >= 0 && y >= 0 && x < width && y < height && data[Math.floor(y) * width + Math.floor(x)] < THRESHOLD;

// The columns of this row on which a finder may lie.
/** @param {GreyPicture} grey @param {number} y */
function middles({ data, width }, y) {
  const edges = [];
  let ink = false;
  for (let x = 0, at = y * width; x <= width; x += 1, at += 1) {
    const now = x < width && data[at] < THRESHOLD;
    if (now !== ink) edges.push(x);
    ink = now;
  }
  const found = [];
  for (let at = 0; at + 5 < edges.length; at += 2) {
    if (isFinder(edges, at)) found.push(Math.floor((edges[at + 2] + edges[at + 3]) / 2));
  }
  return found;
}

// Whether the five runs between these six edges are 1:1:3:1:1.
/** @param {number[]} edges @param {number} [from] */
function isFinder(edges, from = 0) {
  const module = (edges[from + 5] - edges[from]) / 7;
  return module >= SMALLEST && RATIOS.every(
    (wanted, at) => Math.abs(edges[from + at + 1] - edges[from + at] - wanted * module) <= 0.6 * module * Math.sqrt(wanted),
  );
}

// The finder whose middle is near this place, measured along the column and then along the row.
/** @param {GreyPicture} grey @param {number} x @param {number} y @returns {Finder | null} */
function crossed(grey, x, y) {
  const down = runs((at) => isInk(grey, x, at), y, grey.height);
  if (!down) return null;
  const row = Math.floor(down.middle);
  const across = runs((at) => isInk(grey, at, row), x, grey.width);
  if (!across || across.module / down.module <= 0.6 || across.module / down.module >= 1.7) return null;
  return { x: across.middle, y: down.middle, module: (across.module + down.module) / 2 };
}

// The middle of the 1:1:3:1:1 around `at` and the length of its module. Ink that begins or ends the line is none.
/** @param {(at: number) => boolean} ink @param {number} at @param {number} length */
function runs(ink, at, length) {
  if (!ink(at)) return null;
  /** @param {number} from @param {number} step @param {boolean} colour */
  const edge = (from, step, colour) => {
    let index = from;
    while (index >= 0 && index < length && ink(index) === colour) index += step;
    return index;
  };
  const before = edge(at, -1, true);
  const ringBefore = edge(before, -1, false);
  const start = edge(ringBefore, -1, true);
  const after = edge(at, 1, true);
  const ringAfter = edge(after, 1, false);
  const end = edge(ringAfter, 1, true);
  const edges = [start + 1, ringBefore + 1, before + 1, after, ringAfter, end];
  if (start < 0 || end >= length || !isFinder(edges)) return null;
  return { middle: (before + 1 + after) / 2, module: (end - start - 1) / 7 };
}

/** @param {Finder} finder @param {Finder} other */
const isSame = (finder, other) => Math.max(Math.abs(finder.x - other.x), Math.abs(finder.y - other.y)) < 2 * finder.module;

/** @param {Finder[]} heap @returns {Finder} */
function mean(heap) {
  /** @param {keyof Finder} name */
  const of = (name) => heap.reduce((sum, finder) => sum + finder[name], 0) / heap.length;
  return { x: of("x"), y: of("y"), module: of("module") };
}

// Where the third may have been, if the two stand on an edge of the code or across it: {x, y}, one module to the `right`
// in the code, the `centre` of the code and how many `modules` it is wide.
/** @param {Finder} finder @param {Finder} other @returns {LostFinder[]} */
export function missingFinder(finder, other) {
  return [false, true].flatMap((isAcross) => {
    const way = [other.x - finder.x, other.y - finder.y];
    const angle = Math.atan2(way[1], way[0]) - (isAcross ? Math.PI / 4 : 0);
    const edge = Math.hypot(...way) / (isAcross ? Math.SQRT2 : 1);
    // a row crosses a turned square on a longer way
    const module = ((finder.module + other.module) / 2) * Math.max(Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle)));
    const versions = Math.round((edge / module - SHORTEST) / STEP);
    const between = SHORTEST + STEP * versions;
    if (versions < 0 || versions >= VERSIONS || Math.abs(edge / module - between) > 1.7) return [];
    /** @type {Vector} */
    const right = [(Math.cos(angle) * edge) / between, (Math.sin(angle) * edge) / between];
    return isAcross ? cornersAcross(finder, other, right, between) : cornersAlong(finder, other, right, between);
  });
}

/** @param {Finder} finder @param {Finder} other @returns {Vector} */
const between2 = (finder, other) => [(finder.x + other.x) / 2, (finder.y + other.y) / 2];

/** @param {Finder} finder @param {Finder} other @param {Vector} right @param {number} between @returns {LostFinder[]} */
function cornersAcross(finder, other, right, between) {
  const offset = [-right[1] * between, right[0] * between];
  const whole = { right, centre: between2(finder, other), modules: between + 7 };
  return [{ ...whole, x: finder.x + offset[0], y: finder.y + offset[1] }, { ...whole, x: other.x - offset[0], y: other.y - offset[1] }];
}

/** @param {Finder} finder @param {Finder} other @param {Vector} right @param {number} between */
function cornersAlong(finder, other, right, between) {
  const [x, y] = between2(finder, other);
  return [1, -1].flatMap(/** @returns {LostFinder[]} */ (side) => {
    const offset = [-right[1] * between * side, right[0] * between * side];
    const whole = { right, centre: /** @type {Vector} */ ([x + offset[0] / 2, y + offset[1] / 2]), modules: between + 7 };
    return [finder, other].map((near) => ({ ...whole, x: near.x + offset[0], y: near.y + offset[1] }));
  });
}

/** @param {LostFinder} lost @param {number} across @param {number} down @returns {Vector} */
const placeOf = ({ x, y, right: [ux, uy] }, across, down) => [x + across * ux - down * uy, y + across * uy + down * ux];

// Moved a little to where what is left of the finder fits best, and how many of its 49 modules fit there.
/** @param {LostFinder} lost @param {GreyPicture} grey */
function settled(lost, grey) {
  let best = { likeness: -1, lost };
  for (const across of SHIFTS) {
    for (const down of SHIFTS) {
      const [x, y] = placeOf(lost, across, down);
      const moved = { ...lost, x, y };
      const likeness = likenessOf(moved, grey);
      if (likeness > best.likeness) best = { likeness, lost: moved };
    }
  }
  return best;
}

/** @param {LostFinder} lost @param {GreyPicture} grey */
function likenessOf(lost, grey) {
  let fitting = 0;
  for (const [across, down] of PATTERN) {
    const wanted = Math.max(Math.abs(across), Math.abs(down)) !== 2;
    if (isInk(grey, ...placeOf(lost, across, down)) === wanted) fitting += 1;
  }
  return fitting;
}

// The code with its margin cut out, the finder drawn into it.
/** @param {GreyPicture} grey @param {LostFinder} lost @returns {GreyPicture} */
function drawn(grey, lost) {
  const { right: [ux, uy], centre: [x, y] } = lost;
  const half = (lost.modules / 2 + 4) * (Math.abs(ux) + Math.abs(uy));
  const [left, top] = [Math.round(x - half), Math.round(y - half)];
  const edge = Math.round(2 * half);
  const data = new Uint8Array(edge * edge);
  for (let row = 0, at = 0; row < edge; row += 1) {
    for (let column = 0; column < edge; column += 1, at += 1) {
      const [pixelX, pixelY] = [left + column, top + row];
      if (pixelX < 0 || pixelY < 0 || pixelX >= grey.width || pixelY >= grey.height) continue;
      data[at] = inkOf(lost, pixelX, pixelY) ?? grey.data[pixelY * grey.width + pixelX];
    }
  }
  return { data, width: edge, height: edge };
}

// Of the finder and the white around it; null outside.
/** @param {LostFinder} lost @param {number} pixelX @param {number} pixelY */
function inkOf({ x, y, right: [ux, uy] }, pixelX, pixelY) {
  const [dx, dy] = [pixelX + 0.5 - x, pixelY + 0.5 - y];
  const ring = Math.max(Math.abs(dx * ux + dy * uy), Math.abs(dy * ux - dx * uy)) / (ux * ux + uy * uy);
  if (ring >= 4.5) return null;
  return (ring >= 1.5 && ring < 2.5) || ring >= 3.5 ? WHITE : 0;
}
