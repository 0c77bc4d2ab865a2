// Viewer of runs: a panel for each, moved together, with one slider over their frames.

// Makes an element with properties and children. Text is set as text, never as HTML.
function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function short(x) {
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 1e-3 && size < 1e5 ? String(Number(x.toPrecision(3))) : x.toExponential(1);
}

// Width below which panels stand one above the other [pixels].
const NARROW = 600;

class Viewer {
  constructor(root) {
    this.root = root;
    this.stages = [];
    this.hidden = new Set();
    this.rate = 1;
    this.following = true;
    this.canvas = element('canvas', { tabIndex: 0, ariaLabel: 'the run in 3D' });
    this.labels = element('div', { className: 'labels' });
    this.legend = element('div', { className: 'legend', hidden: true });
    this.screen = element('div', { className: 'screen' }, this.canvas, this.labels, this.legend);
    root.append(this.screen);
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true });
    this.renderer.shadowMap.enabled = true;
    this.camera = new THREE.PerspectiveCamera();
  }

  async add(film, added) {
    await film.open();
    const stage = new Stage(film);
    stage.added = added;
    this.stages.push(stage);
    if (this.stages.length === 1) this.begin(film.header);
    this.arrange();
  }

  // Makes the controls, from the first run.
  begin(header) {
    this.camera.up.set(...header.up);
    this.controls = new THREE.OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener('start', () => (this.following = false));
    this.controls.addEventListener('change', () => this.draw());
    this.play = element('button', { type: 'button', className: 'play', onclick: () => this.toggle() });
    this.slider = element('input', { type: 'range', min: 0, step: 1, value: 0, ariaLabel: 'frame' });
    this.slider.oninput = () => this.go(Number(this.slider.value));
    this.told = element('output', {});
    this.root.append(element('div', { className: 'bar' }, this.play, this.slider, this.told));
    this.options = element('div', { className: 'options' });
    this.root.append(this.options);
    this.field = header.field || '';
    this.wireframe = header.wireframe;
    this.ground = true;
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.screen);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => this.draw());
    this.stop();
  }

  // Lays out panels and options after a run has come or gone.
  arrange() {
    const headers = this.stages.map((stage) => stage.film.header);
    const frames = new Set(headers.flatMap((header) => header.frames));
    const current = this.timeline?.[this.at];
    this.timeline = [...frames].sort((a, b) => a - b);
    this.at = Math.max(this.timeline.indexOf(current), 0);
    this.slider.max = this.timeline.length - 1;
    const narrow = this.root.clientWidth < NARROW;
    const columns = narrow ? 1 : Math.ceil(Math.sqrt(this.stages.length));
    this.grid = [columns, Math.ceil(this.stages.length / columns)];
    const aspect = Math.min(headers[0].aspect, narrow ? 4 / 3 : Infinity);
    this.screen.style.setProperty('--aspect', (aspect * this.grid[0]) / this.grid[1]);
    this.labels.replaceChildren();
    this.labels.style.gridTemplate = `repeat(${this.grid[1]}, 1fr) / repeat(${this.grid[0]}, 1fr)`;
    if (this.stages.length > 1) this.stages.forEach((stage) => this.labels.append(this.label(stage)));
    this.showOptions(headers);
    return this.go(this.at);
  }

  label(stage) {
    const label = element('span', {}, stage.film.header.title);
    if (stage.added) {
      const close = element('button', { type: 'button', title: 'take this run out', textContent: '\u00d7' });
      close.onclick = () => {
        this.stages.splice(this.stages.indexOf(stage), 1);
        stage.dispose();
        this.arrange();
      };
      label.append(close);
    }
    return element('div', {}, label);
  }

  showOptions(headers) {
    const check = (text, on, set) => {
      const box = element('input', { type: 'checkbox', checked: on });
      box.onchange = () => {
        set(box.checked);
        this.go(this.at);
      };
      return element('label', {}, box, text);
    };
    const fields = new Map([['', 'own colours']]);
    for (const field of headers.flatMap((header) => header.fields)) {
      fields.set(field.word, field.unit ? `${field.label} [${field.unit}]` : field.label);
    }
    const choice = element('select', { ariaLabel: 'colours', className: 'field' });
    for (const [word, text] of fields) choice.append(element('option', { value: word, textContent: text }));
    choice.value = this.field = fields.has(this.field) ? this.field : '';
    choice.onchange = () => {
      this.field = choice.value;
      this.go(this.at);
    };
    const rate = element('select', { ariaLabel: 'speed of play' });
    for (const x of [0.1, 0.25, 0.5, 1, 2]) rate.append(element('option', { value: x, textContent: `${x} x` }));
    rate.value = this.rate;
    rate.onchange = () => (this.rate = Number(rate.value));
    const names = new Set(headers.flatMap((header) => header.objects.filter((o) => o.shown).map((o) => o.name)));
    const toggles = [...names].map((name) =>
      check(name, !this.hidden.has(name), (on) => (on ? this.hidden.delete(name) : this.hidden.add(name)))
    );
    // A camera stands at six numbers, the ground is the seventh.
    if (headers.some((header) => header.stage[0].length > 6)) {
      toggles.push(check('ground', this.ground, (on) => (this.ground = on)));
    }
    const camera = element('button', { type: 'button', textContent: 'camera of the pictures' });
    camera.onclick = () => {
      this.following = true;
      this.go(this.at);
    };
    const file = element('input', { type: 'file', accept: '.html', multiple: true, hidden: true });
    file.onchange = () => this.compare([...file.files]);
    const other = element('button', { type: 'button', textContent: 'compare with a report ...' });
    other.onclick = () => file.click();
    this.options.replaceChildren(
      element('label', {}, 'colours ', choice),
      element('label', {}, 'play ', rate),
      check('wireframe', this.wireframe, (on) => (this.wireframe = on)),
      element('span', { className: 'objects' }, ...toggles),
      camera,
      other,
      file
    );
    const coarse = headers.find((header) => header.every > 1);
    if (coarse) {
      const text = `one of ${coarse.every} frames is in the page; percale view shows all`;
      this.options.append(element('small', {}, text));
    }
  }

  // Puts the runs of other reports beside this one.
  async compare(files) {
    for (const file of files) {
      const page = new DOMParser().parseFromString(await file.text(), 'text/html');
      const films = [...page.querySelectorAll('script.film')].map((script) => JSON.parse(script.textContent));
      if (films.length === 0) this.fault(`${file.name}: no report with a run in 3D`);
      for (const header of films.filter((header) => !header.served)) await this.add(new Film(header), true);
    }
  }

  fault(text) {
    const place = this.root.querySelector('.fault') || this.root.appendChild(element('p', { className: 'fault' }));
    place.textContent = text;
  }

  // Shows a frame by its place on the slider. While one is being read only the last that is asked for is kept.
  async go(place) {
    this.at = this.wanted = Math.min(Math.max(place, 0), this.timeline.length - 1);
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.wanted !== undefined) {
        const at = this.wanted;
        this.wanted = undefined;
        await this.show(at);
      }
    } catch (error) {
      this.fault(error.message);
    } finally {
      this.busy = false;
    }
  }

  async show(at) {
    const number = this.timeline[at];
    const look = { field: this.field, wireframe: this.wireframe, hidden: this.hidden, ground: this.ground };
    // A run shows its last frame up to the number.
    const placeIn = ({ film }) => Math.max(film.header.frames.findLastIndex((frame) => frame <= number), 0);
    await Promise.all(this.stages.map((stage) => stage.show(placeIn(stage), look)));
    const { fps, first } = this.stages[0].film.header;
    this.slider.value = at;
    this.told.textContent = `frame ${number}, ${short((number - first) / fps)} s`;
    this.showLegend();
    if (this.following) {
      this.stages[0].stand(this.camera, this.controls.target);
      this.controls.update();
    }
    this.render();
    this.canvas.dataset.frame = number;
    this.canvas.dataset.field = this.field;
    document.dispatchEvent(new CustomEvent('frame', { detail: { frame: number, time: (number - first) / fps } }));
  }

  showLegend() {
    const ranges = this.stages.flatMap(({ film }) => film.header.fields.filter(({ word }) => word === this.field));
    this.legend.hidden = ranges.length === 0;
    if (ranges.length === 0) return;
    const range = ranges[0];
    // Colours of all runs mean the same.
    const [low, high] = [Math.min(...ranges.map((r) => r.low)), Math.max(...ranges.map((r) => r.high))];
    const same = ranges.every((r) => r.low === low && r.high === high);
    ranges.forEach((r) => Object.assign(r, { low, high }));
    if (!same) this.wanted ??= this.at;
    const colours = MAPS[range.diverging ? 'diverging' : 'sequential'].join(', ');
    this.legend.replaceChildren(
      element('span', {}, range.unit ? `${range.label} [${range.unit}]` : range.label),
      element('i', { style: `background: linear-gradient(to right, ${colours})` }),
      element('span', { className: 'ends' }, element('b', {}, short(low)), element('b', {}, short(high)))
    );
  }

  draw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => this.render());
  }

  render() {
    cancelAnimationFrame(this.pending);
    this.pending = undefined;
    const [width, height] = [this.screen.clientWidth, this.screen.clientHeight];
    if (width === 0 || this.stages.some((stage) => !stage.pose)) return;
    const { renderer, camera, grid } = this;
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(width, height, false);
    renderer.setScissorTest(false);
    renderer.clear();
    renderer.setScissorTest(true);
    const [wide, high] = [width / grid[0], height / grid[1]];
    this.stages.forEach((stage, k) => {
      const [x, y] = [(k % grid[0]) * wide, (grid[1] - 1 - Math.floor(k / grid[0])) * high];
      renderer.setViewport(x, y, wide, high);
      renderer.setScissor(x, y, wide, high);
      stage.fit(camera, wide / high);
      renderer.render(stage.scene, camera);
    });
  }

  toggle() {
    if (this.playing) this.stop();
    else this.start();
  }

  start() {
    if (this.at >= this.timeline.length - 1) this.at = 0;
    const { fps } = this.stages[0].film.header;
    let last = performance.now();
    let number = this.timeline[this.at];
    const next = (now) => {
      number += ((now - last) / 1000) * fps * this.rate;
      last = now;
      const place = this.timeline.findLastIndex((frame) => frame <= number);
      if (!this.busy && place !== this.at) this.go(place);
      if (place >= this.timeline.length - 1) this.stop();
      else this.playing = requestAnimationFrame(next);
    };
    this.playing = requestAnimationFrame(next);
    this.play.textContent = '\u2759\u2759';
    this.play.ariaLabel = 'pause';
  }

  stop() {
    cancelAnimationFrame(this.playing);
    this.playing = undefined;
    this.play.textContent = '\u25b6';
    this.play.ariaLabel = 'play';
  }

  key(event) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (steps) this.go(this.at + steps);
    else if (event.key === ' ') this.toggle();
    else return;
    event.preventDefault();
  }

  // Goes to the frame that is nearest to a number.
  goTo(number) {
    const far = (place) => Math.abs(this.timeline[place] - number);
    this.go(this.timeline.reduce((best, _, place) => (far(place) < far(best) ? place : best), 0));
  }

  // Takes new frames, and goes to the last one if the last one was shown.
  async renew() {
    const fresh = await Promise.all(this.stages.map(({ film }) => (film.renew ? film.renew() : false)));
    if (!fresh.some(Boolean)) return false;
    const last = this.at === this.timeline.length - 1;
    await this.arrange();
    if (last) await this.go(this.timeline.length - 1);
    return true;
  }
}
