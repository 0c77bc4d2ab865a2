// The page around the viewer: plots whose cursor is the frame, pictures that lead to their frame, and new frames.

// Moves the cursors of plots.
function moveCursors({ frame, time }) {
  for (const plot of document.querySelectorAll('svg.plot[data-axis]')) {
    const value = plot.dataset.axis === 'frame' ? frame : time;
    const [from, until, left, right, top, bottom] = plot.dataset.frame.split(' ').map(Number);
    const x = left + ((value - from) / (until - from)) * (right - left);
    let cursor = plot.querySelector('.cursor');
    if (!cursor) {
      cursor = document.createElementNS(plot.namespaceURI, 'line');
      cursor.setAttribute('class', 'cursor');
      plot.append(cursor);
    }
    const seen = x >= left - 0.1 && x <= right + 0.1;
    cursor.setAttribute('visibility', seen ? 'visible' : 'hidden');
    for (const [name, at] of Object.entries({ x1: x, x2: x, y1: top, y2: bottom })) cursor.setAttribute(name, at);
  }
}

// Returns the frame at a point of a plot.
function frameAt(plot, event, viewer) {
  const [from, until, left, right] = plot.dataset.frame.split(' ').map(Number);
  const box = plot.getBoundingClientRect();
  const x = ((event.clientX - box.left) / box.width) * plot.viewBox.baseVal.width;
  const value = from + (Math.min(Math.max((x - left) / (right - left), 0), 1)) * (until - from);
  const { fps, first } = viewer.stages[0].film.header;
  return plot.dataset.axis === 'frame' ? value : first + value * fps;
}

function listen(viewer) {
  const held = (event) => {
    const plot = event.target.closest('svg.plot[data-axis]');
    if (plot && event.buttons === 1) viewer.goTo(frameAt(plot, event, viewer));
  };
  document.addEventListener('pointerdown', held);
  document.addEventListener('pointermove', held);
  document.addEventListener('click', (event) => {
    const picture = event.target.closest('figure[data-frame]');
    if (picture) viewer.goTo(Number(picture.dataset.frame));
  });
  document.addEventListener('frame', (event) => moveCursors(event.detail));
}

// Replaces what is told about the run. The program has escaped all text in it.
function tell(html) {
  const fresh = new DOMParser().parseFromString(html, 'text/html');
  for (const id of ['verdict', 'told']) document.getElementById(id).replaceWith(fresh.getElementById(id));
}

// Asks for new frames twice a second, and for what is told about the run when there are any.
function follow(viewer) {
  const ask = async () => {
    try {
      if (await viewer.renew()) {
        const answer = await fetch('told', { cache: 'no-store' });
        if (answer.ok) tell(await answer.text());
        await viewer.go(viewer.at);
      }
      viewer.fault('');
    } catch (error) {
      if (error.message === 'another run') return location.reload();
      viewer.fault(`no answer from percale view: ${error.message}`);
    }
    setTimeout(ask, 500);
  };
  setTimeout(ask, 500);
}

// Reads `#frame=12&field=strain`.
function wishes() {
  return new URLSearchParams(location.hash.slice(1));
}

async function begin() {
  const root = document.getElementById('viewer');
  if (!root) return;
  try {
    await loadLibrary();
    const viewer = new Viewer(root);
    for (const script of document.querySelectorAll('script.film')) {
      const header = JSON.parse(script.textContent);
      await viewer.add(header.served ? new Served(header) : new Film(header), false);
    }
    listen(viewer);
    const wanted = wishes();
    if (wanted.has('field')) viewer.field = wanted.get('field');
    viewer.arrange();
    const last = viewer.timeline[viewer.timeline.length - 1];
    viewer.goTo(wanted.has('frame') ? Number(wanted.get('frame')) : last);
    if (viewer.stages.some(({ film }) => film.header.live)) follow(viewer);
    root.classList.add('ready');
  } catch (error) {
    root.classList.add('ready');
    const told = document.createElement('p');
    told.className = 'fault';
    told.textContent = `The run cannot be shown in 3D here: ${error.message}. The pictures are below.`;
    root.replaceChildren(told);
  }
}

// Loads three.js, which is in the page as well.
async function loadLibrary() {
  const text = await inflated(document.getElementById('library').textContent.trim());
  const address = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  await new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = resolve;
    script.onerror = () => reject(new Error('three.js did not load'));
    script.src = address;
    document.head.append(script);
  });
  URL.revokeObjectURL(address);
}

begin();
