// Pictures in grey, {data: Uint8Array, width, height}, and what is done to them before another look. Pure, without a
// canvas: WebKit's has no filters, and every engine smooths in its own way.

/** @param {Pixels} pixels @returns {GreyPicture} */
export function toGreyscale({ data, width, height }) {
  const grey = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < grey.length; at += 1, from += 4) {
    grey[at] = (306 * data[from] + 601 * data[from + 1] + 117 * data[from + 2] + 512) >> 10;
  }
  return { data: grey, width, height };
}

// The middle `part` of the picture, as large as the whole times `size`.
/** @param {GreyPicture} grey @param {number} part @param {number} [size] */
export function enlarge(grey, part, size = 1) {
  const scale = part / size;
  return laid(grey, Math.round(grey.width * size), Math.round(grey.height * size), { right: [scale, 0], down: [0, scale] });
}

// Turned around its middle, and only every `stride`th row of it.
/** @param {GreyPicture} grey @param {number} degrees @param {number} stride */
export function rotateAndThin(grey, degrees, stride) {
  const edge = Math.max(grey.width, grey.height);
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return laid(grey, edge, Math.floor(edge / stride), { right: [cosine, -sine], down: [sine * stride, cosine * stride] });
}

// Each new pixel from the four around its place; `right` and `down` are one step of the new picture in the old one.
/** @param {GreyPicture} grey @param {number} wide @param {number} high @param {{ right: Vector, down: Vector }} steps @returns {GreyPicture} */
function laid({ data, width, height }, wide, high, { right: [rx, ry], down: [dx, dy] }) {
  const out = new Uint8Array(wide * high);
  const left = width / 2 - (rx * (wide - 1) + dx * (high - 1)) / 2 - 0.5;
  const top = height / 2 - (ry * (wide - 1) + dy * (high - 1)) / 2 - 0.5;
  for (let row = 0, at = 0; row < high; row += 1) {
    let x = left + dx * row;
    let y = top + dy * row;
    for (let column = 0; column < wide; column += 1, at += 1, x += rx, y += ry) {
      const x0 = Math.floor(x);
      const y0 = Math.floor(y);
      if (x0 < 0 || y0 < 0 || x0 >= width - 1 || y0 >= height - 1) continue;
      const from = y0 * width + x0;
      const across = x - x0;
      const upper = data[from] + (data[from + 1] - data[from]) * across;
      const lower = data[from + width] + (data[from + width + 1] - data[from + width]) * across;
      out[at] = upper + (lower - upper) * (y - y0) + 0.5;
    }
  }
  return { data: out, width: wide, height: high };
}

// The mean of every `rows` rows.
/** @param {GreyPicture} grey @param {number} rows @returns {GreyPicture} */
export function averageRows({ data, width, height }, rows) {
  const high = Math.max(1, Math.floor(height / rows));
  const out = new Uint8Array(width * high);
  const sums = new Uint32Array(width);
  for (let row = 0; row < high; row += 1) {
    sums.fill(0);
    for (let pixel = row * rows * width; pixel < (row + 1) * rows * width; pixel += width) {
      for (let column = 0; column < width; column += 1) sums[column] += data[pixel + column];
    }
    for (let column = 0; column < width; column += 1) out[row * width + column] = sums[column] / rows + 0.5;
  }
  return { data: out, width, height: high };
}

// What the blurred picture lacks is added `strength` times.
/** @param {GreyPicture} grey @param {number} radius @param {number} strength @returns {GreyPicture} */
export function sharpen(grey, radius, strength) {
  const blurred = blurredBy(grey, radius);
  const out = new Uint8ClampedArray(grey.data.length);
  for (let at = 0; at < out.length; at += 1) out[at] = grey.data[at] + strength * (grey.data[at] - blurred[at]);
  return { ...grey, data: new Uint8Array(out.buffer) };
}

// A bell curve, from three means over a window one after the other.
/** @param {GreyPicture} grey @param {number} radius */
function blurredBy({ data, width, height }, radius) {
  let pixels = Float32Array.from(data);
  let other = new Float32Array(pixels.length);
  for (const window of windowsOf(radius)) {
    meanOfRows(pixels, other, width, height, window);
    [pixels, other] = [other, pixels];
    meanOfColumns(pixels, other, width, height, window);
    [pixels, other] = [other, pixels];
  }
  return pixels;
}

// Pixels on each side, of three windows that together spread as much as the curve.
/** @param {number} radius */
function windowsOf(radius) {
  const ideal = (Math.sqrt(4 * radius * radius + 1) - 1) / 2;
  const small = Math.floor(ideal);
  const large = Math.round((ideal - small) * 3);
  return [0, 1, 2].map((index) => (index < large ? small + 1 : small));
}

/** @param {Float32Array} from @param {Float32Array} to @param {number} width @param {number} height @param {number} window */
function meanOfRows(from, to, width, height, window) {
  const many = 2 * window + 1;
  for (let row = 0; row < height; row += 1) {
    const start = row * width;
    const end = start + width - 1;
    let sum = from[start] * (window + 1);
    for (let step = 1; step <= window; step += 1) sum += from[Math.min(start + step, end)];
    for (let at = start; at <= end; at += 1) {
      to[at] = sum / many;
      sum += from[Math.min(at + window + 1, end)] - from[Math.max(at - window, start)];
    }
  }
}

// Row by row with a sum for each column: memory is walked in its own order.
/** @param {Float32Array} from @param {Float32Array} to @param {number} width @param {number} height @param {number} window */
function meanOfColumns(from, to, width, height, window) {
  const many = 2 * window + 1;
  const sums = new Float32Array(width);
  /** @param {number} row */
  const rowAt = (row) => Math.max(0, Math.min(row, height - 1)) * width;
  for (let row = -window; row <= window; row += 1) add(sums, from, rowAt(row), 1);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) to[row * width + column] = sums[column] / many;
    add(sums, from, rowAt(row + window + 1), 1);
    add(sums, from, rowAt(row - window), -1);
  }
}

/** @param {Float32Array} sums @param {Float32Array} from @param {number} start @param {number} sign */
function add(sums, from, start, sign) {
  for (let column = 0; column < sums.length; column += 1) sums[column] += sign * from[start + column];
}

// the light on a label is looked for in blocks of this many pixels, over this many blocks to each side
const BLOCK = 8;
const AROUND = 3;
// paper in even light becomes this bright; what is darker than DARKEST all around holds nothing but noise
const PAPER = 224;
const DARKEST = 12;

// As if the light were even: each pixel divided by the brightness of the paper around it. As closures/photos/barcodes.py does.
/** @param {GreyPicture} grey @returns {GreyPicture} */
export function normaliseLight(grey) {
  const { data, width, height } = grey;
  const light = paperLight(grey);
  const out = new Uint8Array(data.length);
  for (let y = 0, at = 0; y < height; y += 1) {
    const down = blockPosition(y, light.height);
    for (let x = 0; x < width; x += 1, at += 1) {
      const paper = Math.max(between(light, blockPosition(x, light.width), down), DARKEST);
      out[at] = Math.min((data[at] * PAPER) / paper, 255);
    }
  }
  return { data: out, width, height };
}

// Where a pixel lies between two blocks: [the first of them, the second, how far from the first].
/** @param {number} pixel @param {number} blocks @returns {BetweenBlocks} */
function blockPosition(pixel, blocks) {
  const exact = Math.max(0, Math.min((pixel + 0.5) / BLOCK - 0.5, blocks - 1));
  const first = Math.floor(exact);
  return [first, Math.min(first + 1, blocks - 1), exact - first];
}

/** @param {Light} light @param {BetweenBlocks} across @param {BetweenBlocks} down */
function between({ data, width }, [left, right, across], [upper, lower, down]) {
  const above = data[upper * width + left] * (1 - across) + data[upper * width + right] * across;
  const below = data[lower * width + left] * (1 - across) + data[lower * width + right] * across;
  return above * (1 - down) + below * down;
}

// The brightest of the blocks around, then the darkest of those: print disappears, the edge of a shadow stays where it is.
/** @param {GreyPicture} grey */
function paperLight(grey) {
  const blocks = inBlocks(grey);
  return extreme(extreme(blocks, Math.max), Math.min);
}

/** @param {GreyPicture} grey @returns {Light} */
function inBlocks({ data, width, height }) {
  const [wide, high] = [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)];
  const sums = new Float32Array(wide * high);
  const counts = new Uint16Array(wide * high);
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.floor(y / BLOCK) * wide;
    for (let x = 0; x < width; x += 1, at += 1) {
      const block = row + Math.floor(x / BLOCK);
      sums[block] += data[at];
      counts[block] += 1;
    }
  }
  return { data: sums.map((sum, block) => sum / counts[block]), width: wide, height: high };
}

// Along the rows, then along the columns: the same as over a square.
/** @param {Light} light @param {(...values: number[]) => number} of @returns {Light} */
function extreme({ data, width, height }, of) {
  /** @param {Float32Array} from @param {number} limit @param {number} step @returns {(line: number, at: number) => number} */
  const over = (from, limit, step) => (line, at) => {
    let found = from[line + at * step];
    for (let other = Math.max(0, at - AROUND); other <= Math.min(limit - 1, at + AROUND); other += 1) {
      found = of(found, from[line + other * step]);
    }
    return found;
  };
  const rows = new Float32Array(data.length);
  const alongRow = over(data, width, 1);
  for (let at = 0; at < data.length; at += 1) rows[at] = alongRow(at - (at % width), at % width);
  const out = new Float32Array(data.length);
  const alongColumn = over(rows, height, width);
  for (let at = 0; at < data.length; at += 1) out[at] = alongColumn(at % width, Math.floor(at / width));
  return { data: out, width, height };
}

// The middle one of each pixel and its eight neighbours.
/** @param {GreyPicture} grey @returns {GreyPicture} */
export function removeScratches({ data, width, height }) {
  const out = Uint8Array.from(data);
  const nine = new Uint8Array(9);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      for (let row = -1, to = 0; row <= 1; row += 1) {
        for (let column = -1; column <= 1; column += 1, to += 1) nine[to] = data[at + row * width + column];
      }
      out[at] = nine.sort()[4];
    }
  }
  return { data: out, width, height };
}
