// Film of one run: its header, and the positions and values of each frame. Frames of a report are in the page, those
// of `percale view` come from the program, from which alone anything is fetched.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
  return bytes;
}

async function inflated(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const unfolded = (code) => (code >>> 1) ^ -(code & 1);

// Indices of triangles: remainders after the same corner of the triangle before, as four planes of bytes.
function trianglesOf(planes) {
  const count = planes.length / 4;
  const indices = new Uint32Array(count);
  for (let k = 0; k < count; k++) {
    const code =
      planes[k] | (planes[count + k] << 8) | (planes[2 * count + k] << 16) | (planes[3 * count + k] << 24);
    indices[k] = unfolded(code) + (k < 3 ? 0 : indices[k - 3]);
  }
  return indices;
}

// Vertices before each vertex that share a triangle with it, which predict it.
function beforeOf(vertices, triangles) {
  const sets = Array.from({ length: vertices }, () => []);
  const add = (a, b) => {
    const [low, high] = a < b ? [a, b] : [b, a];
    if (low !== high && high < vertices && !sets[high].includes(low)) sets[high].push(low);
  };
  for (let k = 0; k < triangles.length; k += 3) {
    add(triangles[k], triangles[k + 1]);
    add(triangles[k + 1], triangles[k + 2]);
    add(triangles[k + 2], triangles[k]);
  }
  const starts = new Uint32Array(vertices + 1);
  sets.forEach((set, v) => (starts[v + 1] = starts[v] + set.length));
  const all = new Uint32Array(starts[vertices]);
  sets.forEach((set, v) => all.set(set, starts[v]));
  return { starts, all };
}

// Codes of all frames from their two streams: the change of each code is predicted by the mean change of the vertices
// before it.
function codesOf({ starts, all }, numbers, low, high) {
  const vertices = starts.length - 1;
  const size = numbers * vertices;
  const change = new Int32Array(vertices);
  const frames = [];
  let last = new Uint16Array(size);
  for (let from = 0; size > 0 && from + size <= low.length; from += size) {
    const codes = new Uint16Array(size);
    for (let k = 0; k < size; k++) {
      const v = k % vertices;
      const count = starts[v + 1] - starts[v];
      let mean = 0;
      if (count > 0) {
        let sum = 0;
        for (let b = starts[v]; b < starts[v + 1]; b++) sum += change[all[b]];
        mean = Math.floor((2 * sum + count) / (2 * count));
      }
      codes[k] = last[k] + mean + unfolded(low[from + k] | (high[from + k] << 8));
      change[v] = codes[k] - last[k];
    }
    frames.push(codes);
    last = codes;
  }
  return frames;
}

const NOTHING = 255;
const LEVELS = 254;

// Film whose frames are in the page.
class Film {
  constructor(header) {
    this.header = header;
  }

  async open() {
    this.tracks = [];
    for (const object of this.header.objects) {
      const triangles = trianglesOf(await inflated(object.triangles));
      const before = beforeOf(object.vertices, triangles);
      const [low, high] = await Promise.all(object.positions.map(inflated));
      const values = {};
      for (const [word, streams] of Object.entries(object.values)) {
        const [low, high] = await Promise.all(streams.map(inflated));
        values[word] = codesOf(before, 1, low, high);
      }
      this.tracks.push({ triangles, positions: codesOf(before, 3, low, high), values });
    }
    return this;
  }

  triangles(object) {
    return this.tracks[object].triangles;
  }

  // Returns the objects at a frame, by its place in the film: `{ positions, values }`, or null for what is not there.
  async frame(place) {
    const number = this.header.frames[place];
    return this.header.objects.map((object, k) => {
      if (!isThere(object, number)) return null;
      const track = this.tracks[k];
      const at = object.still ? 0 : this.header.frames.filter((n) => isThere(object, n)).indexOf(number);
      const codes = track.positions[at];
      if (!codes) return null;
      const step = object.grid[3];
      const positions = new Float32Array(3 * object.vertices);
      for (let axis = 0, k = 0; axis < 3; axis++) {
        for (let v = 0; v < object.vertices; v++, k++) positions[3 * v + axis] = object.grid[axis] + step * codes[k];
      }
      const values = {};
      for (const [word, frames] of Object.entries(track.values)) {
        const { low, high } = this.header.fields.find((field) => field.word === word);
        values[word] = Float32Array.from(frames[at], (code) =>
          code === NOTHING ? NaN : low + ((high - low) * code) / LEVELS
        );
      }
      return { positions, values };
    });
  }
}

function isThere(object, frame) {
  return !object.there || (object.there[0] <= frame && frame < object.there[1]);
}

// Film whose frames the program sends, as they are in the files of the run.
class Served {
  constructor(header) {
    this.header = header;
    this.kept = new Map();
  }

  async fetched(what) {
    const answer = await fetch(this.header.served + what, { cache: 'no-store' });
    if (!answer.ok) throw new Error((await answer.text()).trim() || `${what}: ${answer.status}`);
    return answer;
  }

  async open() {
    const objects = this.header.objects;
    const indices = new Uint32Array(await (await this.fetched('triangles')).arrayBuffer());
    const still = new Float32Array(await (await this.fetched('still')).arrayBuffer());
    let [index, place] = [0, 0];
    this.all = [];
    this.still = [];
    for (const object of objects) {
      this.all.push(indices.subarray(index, (index += 3 * object.triangles)));
      this.still.push(object.still ? still.subarray(place, (place += 3 * object.vertices)) : null);
    }
    return this;
  }

  triangles(object) {
    return this.all[object];
  }

  frame(place) {
    const number = this.header.frames[place];
    if (!this.kept.has(number)) {
      // A few frames are kept, the oldest goes first.
      if (this.kept.size > 60) this.kept.delete(this.kept.keys().next().value);
      const frame = this.read(number);
      frame.catch(() => this.kept.delete(number));
      this.kept.set(number, frame);
    }
    return this.kept.get(number);
  }

  async read(number) {
    const floats = new Float32Array(await (await this.fetched(`frame/${number}`)).arrayBuffer());
    let at = 0;
    const next = (count) => floats.subarray(at, (at += count));
    // Camera, target and ground of the frame, then its objects.
    const pose = [...next(7)].filter((x) => !Number.isNaN(x));
    const objects = this.header.objects.map((object, k) => {
      if (!isThere(object, number)) return null;
      if (object.still) return { positions: this.still[k], values: {} };
      const positions = next(3 * object.vertices);
      const values = {};
      for (const word of object.words) values[word] = next(object.vertices);
      return { positions, values };
    });
    return Object.assign(objects, { pose });
  }

  // Takes what has been written since. Returns whether there is anything new; throws if the run is another.
  async renew() {
    const header = await (await this.fetched('film')).json();
    const shape = (header) => JSON.stringify(header.objects.map(({ name, vertices, triangles }) => [name, vertices, triangles]));
    if (shape(header) !== shape(this.header) || header.frames.length < this.header.frames.length) {
      throw new Error('another run');
    }
    const fresh = header.frames.length > this.header.frames.length || header.status !== this.header.status;
    if (fresh) this.header = header;
    return fresh;
  }
}

// Adds the speed between the frames around a place to each object, unless the run has recorded it.
async function withSpeed(film, place) {
  const frames = film.header.frames;
  const [before, after] = [Math.max(place - 1, 0), Math.min(place + 1, frames.length - 1)];
  const seconds = (frames[after] - frames[before]) / film.header.fps;
  const [objects, from, to] = await Promise.all([place, before, after].map((k) => film.frame(k)));
  objects.forEach((object, k) => {
    if (!object || film.header.objects[k].kind !== 'cloth' || object.values.speed) return;
    const [a, b] = [(from[k] || object).positions, (to[k] || object).positions];
    object.values.speed = Float32Array.from({ length: a.length / 3 }, (_, v) => {
      const [x, y, z] = [0, 1, 2].map((axis) => b[3 * v + axis] - a[3 * v + axis]);
      return seconds > 0 ? Math.hypot(x, y, z) / seconds : 0;
    });
  });
  return objects;
}
