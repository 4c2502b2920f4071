// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Where the vertices of a glTF file are in a pose, computed plainly and in double. Matrices are column-major arrays of 16.

import {Gltf} from './gltf.mjs';

export function multiply(a, b) {
  const out = new Float64Array(16);
  for (let c = 0; c < 4; ++c) {
    for (let r = 0; r < 4; ++r) {
      let sum = 0;
      for (let k = 0; k < 4; ++k) sum += a[k * 4 + r] * b[c * 4 + k];
      out[c * 4 + r] = sum;
    }
  }
  return out;
}

export function compose([tx, ty, tz], [x, y, z, w], [sx, sy, sz]) {
  return Float64Array.from([
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
    2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
    2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
    tx, ty, tz, 1,
  ]);
}

const IDENTITY = compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 1]);

function normalize(q) {
  const length = Math.hypot(...q);
  return length > 0 ? q.map(value => value / length) : [0, 0, 0, 1];
}

function slerp(a, b, t) {
  let dot = a.reduce((sum, value, i) => sum + value * b[i], 0);
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, Math.abs(dot));
  const angle = Math.acos(dot);
  const sine = Math.sin(angle);
  if (sine < 1e-9) return normalize(a.map((value, i) => value * (1 - t) + sign * b[i] * t));
  const [u, v] = [Math.sin((1 - t) * angle) / sine, (sign * Math.sin(t * angle)) / sine];
  return normalize(a.map((value, i) => value * u + b[i] * v));
}

/** Value of a sampler at a time; `width` numbers per key. */
export function sampleTrack(times, values, interpolation, width, isRotation, time) {
  const last = times.length - 1;
  const cubic = interpolation === 'CUBICSPLINE';
  const piece = (key, part) => {
    const start = (cubic ? key * 3 + part : key) * width;
    return Array.from(values.subarray(start, start + width));
  };
  const finish = value => (isRotation ? normalize(value) : value);
  if (time <= times[0]) return finish(piece(0, 1));
  if (time >= times[last]) return finish(piece(last, 1));
  let key = 0;
  while (key + 1 < last && times[key + 1] <= time) ++key;
  if (interpolation === 'STEP') return finish(piece(key, 1));
  const step = times[key + 1] - times[key];
  const t = (time - times[key]) / step;
  const [from, to] = [piece(key, 1), piece(key + 1, 1)];
  if (!cubic) {
    if (isRotation) return slerp(normalize(from), normalize(to), t);
    return from.map((value, i) => value + (to[i] - value) * t);
  }
  const [out, into] = [piece(key, 2), piece(key + 1, 0)];
  const [t2, t3] = [t * t, t * t * t];
  return finish(from.map((value, i) => (2 * t3 - 3 * t2 + 1) * value + (t3 - 2 * t2 + t) * step * out[i] +
      (-2 * t3 + 3 * t2) * to[i] + (t3 - t2) * step * into[i]));
}

export class Evaluator {
  static async open(path) { return new Evaluator(await Gltf.open(path)); }

  constructor(file) {
    this.file = file;
    this.json = file.json;
    this.numbers = new Map();
  }

  values(accessor) {
    if (!this.numbers.has(accessor)) this.numbers.set(accessor, this.file.numbers(accessor));
    return this.numbers.get(accessor);
  }

  roots() {
    const {nodes = [], scenes = [], scene = 0} = this.json;
    if (scenes.length) return scenes[scene].nodes ?? [];
    const children = new Set(nodes.flatMap(node => node.children ?? []));
    return nodes.map((_, i) => i).filter(i => !children.has(i));
  }

  /** Nodes of the default scene, depth first, children in the order of the file. */
  order() {
    const seen = new Set();
    const visit = node => {
      if (seen.has(node)) return;
      seen.add(node);
      for (const child of this.json.nodes[node].children ?? []) visit(child);
    };
    for (const root of this.roots()) visit(root);
    return [...seen];
  }

  /** {node, mesh, primitive, accessor, count} of all that is drawn in the default scene. */
  blocks() {
    const out = [];
    for (const node of this.order()) {
      const {mesh} = this.json.nodes[node];
      if (mesh === undefined) continue;
      this.json.meshes[mesh].primitives.forEach((primitive, k) => {
        const accessor = primitive.attributes.POSITION;
        if (accessor !== undefined) out.push({node, mesh, primitive: k, accessor, count: this.json.accessors[accessor].count});
      });
    }
    return out;
  }

  /** Channels that move a node in a way core glTF knows. */
  channels(animation) {
    return this.json.animations[animation].channels.filter(
        ({target}) => target.node !== undefined && ['translation', 'rotation', 'scale', 'weights'].includes(target.path));
  }

  duration(animation) {
    const {samplers} = this.json.animations[animation];
    let end = 0;
    for (const {sampler} of this.channels(animation)) {
      for (const time of this.values(samplers[sampler].input)) end = Math.max(end, time);
    }
    return end;
  }

  /** The poses every comparison needs. */
  poses() {
    const out = ['rest'];
    (this.json.animations ?? []).forEach((_, i) => {
      if (!this.channels(i).length) return;
      const end = this.duration(i);
      for (const time of end > 0 ? [0, end / 2, 0.8 * end] : [0]) out.push(`clip:${i}:${time}`);
    });
    return out;
  }

  /** {world: matrix per node, weights: per node} in a pose. */
  pose(name) {
    const nodes = (this.json.nodes ?? []).map(node => ({
      matrix: node.matrix,
      translation: node.translation ?? [0, 0, 0],
      rotation: node.rotation ?? [0, 0, 0, 1],
      scale: node.scale ?? [1, 1, 1],
      weights: node.weights ?? (node.mesh === undefined ? undefined : this.json.meshes[node.mesh].weights),
    }));
    if (name.startsWith('clip:')) this.#animate(nodes, ...name.split(':').slice(1).map(Number));
    const world = new Array(nodes.length);
    const visit = (index, parent) => {
      const node = nodes[index];
      const local = node.matrix ? Float64Array.from(node.matrix) : compose(node.translation, node.rotation, node.scale);
      world[index] = multiply(parent, local);
      for (const child of this.json.nodes[index].children ?? []) visit(child, world[index]);
    };
    const children = new Set((this.json.nodes ?? []).flatMap(node => node.children ?? []));
    nodes.forEach((_, i) => { if (!children.has(i)) visit(i, IDENTITY); });
    return {world, weights: nodes.map(node => node.weights)};
  }

  #animate(nodes, animation, time) {
    const {samplers} = this.json.animations[animation];
    for (const {sampler, target} of this.channels(animation)) {
      const {input, output, interpolation = 'LINEAR'} = samplers[sampler];
      const times = this.values(input);
      const values = this.values(output);
      const width = values.length / (times.length * (interpolation === 'CUBICSPLINE' ? 3 : 1));
      const node = nodes[target.node];
      node[target.path] = sampleTrack(times, values, interpolation, width, target.path === 'rotation', time);
      if (target.path !== 'weights') node.matrix = undefined;
    }
  }

  morphed(primitive, weights) {
    const positions = Float64Array.from(this.values(primitive.attributes.POSITION));
    (primitive.targets ?? []).forEach((target, k) => {
      const weight = weights?.[k] ?? 0;
      if (target.POSITION === undefined || weight === 0) return;
      const deltas = this.values(target.POSITION);
      for (let i = 0; i < positions.length; ++i) positions[i] += weight * deltas[i];
    });
    return positions;
  }

  /** World-space positions of one block; NaN for a vertex whose weights sum to nothing. */
  positions({node, primitive: k}, pose) {
    const {mesh, skin} = this.json.nodes[node];
    const primitive = this.json.meshes[mesh].primitives[k];
    const positions = this.morphed(primitive, pose.weights[node]);
    if (skin === undefined || primitive.attributes.JOINTS_0 === undefined) return moveAll(positions, () => pose.world[node]);
    const {joints, inverseBindMatrices} = this.json.skins[skin];
    const inverse = inverseBindMatrices === undefined ? undefined : this.values(inverseBindMatrices);
    const matrices = joints.map((joint, j) => {
      const bind = inverse ? inverse.subarray(j * 16, j * 16 + 16) : IDENTITY;
      return multiply(pose.world[joint], bind);
    });
    const sets = [];
    for (let n = 0; primitive.attributes[`JOINTS_${n}`] !== undefined; ++n) {
      sets.push([this.file.components(primitive.attributes[`JOINTS_${n}`]), this.values(primitive.attributes[`WEIGHTS_${n}`])]);
    }
    return moveAll(positions, i => blend(matrices, sets, i));
  }

  bind({node, primitive}) {
    const {mesh} = this.json.nodes[node];
    return this.values(this.json.meshes[mesh].primitives[primitive].attributes.POSITION);
  }
}

function blend(matrices, sets, vertex) {
  const out = new Float64Array(16);
  let sum = 0;
  for (const [joints, weights] of sets) {
    for (let c = vertex * 4; c < vertex * 4 + 4; ++c) {
      if (weights[c] === 0) continue;
      sum += weights[c];
      const matrix = matrices[joints[c]];
      for (let k = 0; k < 16; ++k) out[k] += weights[c] * matrix[k];
    }
  }
  for (let k = 0; k < 16; ++k) out[k] = sum > 0 ? out[k] / sum : NaN;
  return out;
}

function moveAll(positions, matrixOf) {
  for (let i = 0; i < positions.length / 3; ++i) {
    const m = matrixOf(i);
    const [x, y, z] = positions.subarray(i * 3, i * 3 + 3);
    for (let r = 0; r < 3; ++r) positions[i * 3 + r] = m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r];
  }
  return positions;
}
