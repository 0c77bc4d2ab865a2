// Stage of one run: its objects as meshes of three.js, lights, ground, and the camera of its pictures.

// Edges of obstacles and bodies above this angle are drawn sharp.
const CREASE = Math.cos(Math.PI / 3);

// Splits the vertices of a mesh where it has sharp edges. Returns the source of each vertex, and the triangles.
function split(triangles, positions) {
  const normals = [];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [0, 1, 2].map((i) => new THREE.Vector3().fromArray(positions, 3 * triangles[k + i]));
    normals.push(b.sub(a).cross(c.sub(a)).normalize());
  }
  const corners = new Map();
  triangles.forEach((v, k) => (corners.get(v) || corners.set(v, []).get(v)).push(k));
  const source = [];
  const indices = new Uint32Array(triangles.length);
  for (const [v, at] of corners) {
    const open = new Set(at);
    while (open.size > 0) {
      // A group: all corners that smooth edges connect to the first, by their normals.
      const group = [open.values().next().value];
      open.delete(group[0]);
      for (let k = 0; k < group.length; k++) {
        const own = normals[Math.floor(group[k] / 3)];
        for (const other of open) {
          if (own.dot(normals[Math.floor(other / 3)]) > CREASE) {
            group.push(other);
            open.delete(other);
          }
        }
      }
      group.forEach((corner) => (indices[corner] = source.length));
      source.push(v);
    }
  }
  return { source: Uint32Array.from(source), indices };
}

// Writes smooth normals, weighted by area.
function smooth(positions, indices, normals) {
  normals.fill(0);
  for (let k = 0; k < indices.length; k += 3) {
    const [a, b, c] = [3 * indices[k], 3 * indices[k + 1], 3 * indices[k + 2]];
    const [ux, uy, uz] = [0, 1, 2].map((i) => positions[b + i] - positions[a + i]);
    const [vx, vy, vz] = [0, 1, 2].map((i) => positions[c + i] - positions[a + i]);
    const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const p of [a, b, c]) {
      normals[p] += nx;
      normals[p + 1] += ny;
      normals[p + 2] += nz;
    }
  }
  for (let p = 0; p < normals.length; p += 3) {
    const length = Math.hypot(normals[p], normals[p + 1], normals[p + 2]) || 1;
    for (let i = 0; i < 3; i++) normals[p + i] /= length;
  }
}

const STEPS = 256;

// Colours of a map as linear RGB, evenly spaced.
const ramps = {};
function ramp(name) {
  if (!ramps[name]) {
    const stops = MAPS[name].map((hex) => new THREE.Color(hex));
    ramps[name] = Array.from({ length: STEPS + 1 }, (_, k) => {
      const x = (k / STEPS) * (stops.length - 1);
      const from = Math.min(Math.floor(x), stops.length - 2);
      return stops[from].clone().lerp(stops[from + 1], x - from).toArray();
    });
  }
  return ramps[name];
}

const GREY = [0.2, 0.2, 0.2];

class Stage {
  constructor(film) {
    this.film = film;
    const { up, view, light, background } = film.header;
    this.scene = new THREE.Scene();
    if (background) this.scene.background = new THREE.Color(background);
    const [low, high] = view.map((corner) => new THREE.Vector3(...corner));
    this.middle = low.clone().add(high).multiplyScalar(0.5);
    this.size = Math.max(high.distanceTo(low), 1e-3);
    this.up = new THREE.Vector3(...up);
    this.addLights(new THREE.Vector3(...light).normalize());
    this.addGround();
    this.meshes = [];
  }

  addLights(towards) {
    const sky = new THREE.HemisphereLight(0xf2f6ff, 0xcfc6bb, 1.25);
    sky.position.copy(this.up);
    const key = new THREE.DirectionalLight(0xfff6ea, 2.4);
    key.position.copy(this.middle).addScaledVector(towards, 3 * this.size);
    key.target.position.copy(this.middle);
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    key.shadow.normalBias = 0.004 * this.size;
    key.shadow.bias = -0.0005;
    key.shadow.radius = 3;
    Object.assign(key.shadow.camera, { near: 0.5 * this.size, far: 6 * this.size });
    const half = 0.9 * this.size;
    Object.assign(key.shadow.camera, { left: -half, right: half, top: half, bottom: -half });
    this.scene.add(sky, key, key.target);
  }

  addGround() {
    const size = 20 * this.size;
    this.ground = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: 0.3 }));
    this.ground.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up);
    this.ground.receiveShadow = true;
    this.scene.add(this.ground);
  }

  // Makes the mesh of an object from its first positions.
  make(k, positions) {
    const object = this.film.header.objects[k];
    const triangles = this.film.triangles(k);
    const whole = { source: null, indices: triangles };
    const { source, indices } = object.smooth ? whole : split(triangles, positions);
    const count = source ? source.length : object.vertices;
    const geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal', 'color']) {
      geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * count), 3));
    }
    geometry.setIndex(new THREE.BufferAttribute(indices, 1));
    const material = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide });
    Object.assign(material, { polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const mesh = new THREE.Mesh(geometry, material);
    const lines = { color: 0x101418, wireframe: true, transparent: true, opacity: 0.45 };
    const wire = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial(lines));
    wire.frustumCulled = false;
    mesh.add(wire);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.userData = { source, wire };
    this.scene.add(mesh);
    return mesh;
  }

  // Shows a frame by its place. `hidden` has the names of objects that are off.
  async show(place, { field, wireframe, hidden, ground }) {
    const derived = this.film.header.fields.some((known) => known.word === field && known.derived);
    const objects = await (derived ? withSpeed(this.film, place) : this.film.frame(place));
    const range = this.film.header.fields.find((known) => known.word === field);
    objects.forEach((at, k) => {
      const object = this.film.header.objects[k];
      const shown = at && object.shown && !hidden.has(object.name);
      if (this.meshes[k]) this.meshes[k].visible = Boolean(shown);
      if (!shown) return;
      const mesh = (this.meshes[k] ||= this.make(k, at.positions));
      mesh.userData.wire.visible = mesh.material.polygonOffset = wireframe;
      const last = mesh.userData.positions;
      if (last !== at.positions) this.move(mesh, at.positions);
      this.paint(mesh, object, at, range);
    });
    const { header } = this.film;
    const pose = objects.pose || header.stage[Math.min(place, header.stage.length - 1)];
    this.pose = pose;
    this.ground.visible = pose.length > 6 && ground;
    if (pose.length > 6) this.ground.position.copy(this.middle).addScaledVector(this.up, pose[6] - this.middle.dot(this.up));
  }

  move(mesh, positions) {
    const { source } = mesh.userData;
    const { position, normal } = mesh.geometry.attributes;
    if (source) source.forEach((v, k) => position.array.set(positions.subarray(3 * v, 3 * v + 3), 3 * k));
    else position.array.set(positions);
    smooth(position.array, mesh.geometry.index.array, normal.array);
    position.needsUpdate = normal.needsUpdate = true;
    mesh.userData.positions = positions;
  }

  paint(mesh, object, at, range) {
    const { material, geometry } = mesh;
    const coloured = Boolean(range) && object.kind === 'cloth';
    if (material.vertexColors !== coloured) {
      material.vertexColors = coloured;
      material.needsUpdate = true;
    }
    // Shadows would be misread as values.
    mesh.receiveShadow = !coloured;
    material.color.set(coloured ? '#ffffff' : object.colour);
    if (!coloured) return;
    const values = at.values[range.word];
    const colours = ramp(range.diverging ? 'diverging' : 'sequential');
    const { color } = geometry.attributes;
    const { source } = mesh.userData;
    const scale = STEPS / (range.high - range.low);
    for (let k = 0; k < color.count; k++) {
      const value = values ? values[source ? source[k] : k] : NaN;
      const step = Math.round((value - range.low) * scale);
      color.array.set(Number.isNaN(step) ? GREY : colours[Math.min(Math.max(step, 0), STEPS)], 3 * k);
    }
    color.needsUpdate = true;
  }

  // Sets a camera to that of the pictures at the frame that is shown.
  stand(camera, target) {
    camera.position.fromArray(this.pose, 0);
    target.fromArray(this.pose, 3);
    camera.up.copy(this.up);
    camera.lookAt(target);
  }

  // Sets the field of view for a panel, so that all of the picture is seen in it.
  fit(camera, aspect) {
    const { fov, aspect: whole } = this.film.header;
    const half = Math.tan(0.5 * fov) * Math.max(1, whole / aspect);
    camera.aspect = aspect;
    camera.fov = (360 / Math.PI) * Math.atan(half);
    const distance = camera.position.distanceTo(this.middle);
    camera.near = Math.max(0.03 * distance, 1e-3 * this.size);
    camera.far = distance + 20 * this.size;
    camera.updateProjectionMatrix();
  }

  dispose() {
    for (const mesh of this.meshes.filter(Boolean)) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.userData.wire.material.dispose();
    }
  }
}
