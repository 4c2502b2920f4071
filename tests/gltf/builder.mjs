// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Puts glTF files together for the fixtures: bytes into buffers, arrays into accessors, and the whole into .glb or .gltf.

import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {deflateSync} from 'node:zlib';
import {COMPONENTS, COMPONENT_TYPES, elementLayout} from './gltf.mjs';

export const FLOAT = 5126, I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125;

/** Seeded random numbers in [0, 1): mulberry32. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function pad(bytes, multiple, filler) {
  const padded = Buffer.alloc(Math.ceil(bytes.length / multiple) * multiple, filler);
  Buffer.from(bytes).copy(padded);
  return padded;
}

export class Builder {
  constructor(extra = {}) {
    this.json = {asset: {version: '2.0', generator: 'sinew fixtures'}, ...extra};
    this.buffers = [{parts: [], size: 0}];
  }

  /** Appends to a list of the document and returns the index. */
  add(list, object) {
    this.json[list] ??= [];
    return this.json[list].push(object) - 1;
  }

  use(...names) {
    this.json.extensionsUsed = [...new Set([...(this.json.extensionsUsed ?? []), ...names])];
    return this;
  }

  require(...names) {
    this.json.extensionsRequired = [...new Set([...(this.json.extensionsRequired ?? []), ...names])];
    return this.use(...names);
  }

  /** A buffer view of bytes; returns its index. */
  view(bytes, extra = {}, buffer = 0) {
    return this.add('bufferViews', {buffer, byteOffset: this.append(bytes, buffer), byteLength: bytes.length, ...extra});
  }

  /** Puts bytes at the end of a buffer, aligned to four; returns where. */
  append(bytes, buffer = 0) {
    const target = (this.buffers[buffer] ??= {parts: [], size: 0});
    const offset = target.size;
    const padded = pad(bytes, 4, 0);
    target.parts.push(padded);
    target.size += padded.length;
    return offset;
  }

  /** An accessor of flat numbers; `stride`, `buffer`, `bounds`, `view` (extra keys) and accessor keys as options. */
  accessor(values, componentType, type, {stride, buffer, bounds, view, ...extra} = {}) {
    const bytes = pack(values, componentType, type, stride);
    const bufferView = this.view(bytes, {...(stride ? {byteStride: stride} : {}), ...view}, buffer);
    return this.accessorOn({bufferView}, values, componentType, type, {bounds, ...extra});
  }

  /** An accessor whose place is given. */
  accessorOn(place, values, componentType, type, {bounds, ...extra} = {}) {
    const count = values.length / COMPONENTS[type];
    return this.add('accessors', {...place, componentType, count, type, ...(bounds ? limits(values, componentType, type) : {}), ...extra});
  }

  positions(values, extra = {}) { return this.accessor(values, FLOAT, 'VEC3', {bounds: true, ...extra}); }
  times(values, extra = {}) { return this.accessor(values, FLOAT, 'SCALAR', {bounds: true, ...extra}); }
  indices(values, componentType = U16, extra = {}) { return this.accessor(values, componentType, 'SCALAR', extra); }

  /** Adds a sampler and a channel for each [node, path, times, values, type, interpolation] to a new animation. */
  animation(name, tracks) {
    const animation = {name, channels: [], samplers: []};
    for (const [node, path, times, values, type, interpolation, componentType = FLOAT] of tracks) {
      const output = this.accessor(values, componentType, type, componentType === FLOAT ? {} : {normalized: true});
      animation.samplers.push({input: this.times(times), output, ...(interpolation ? {interpolation} : {})});
      animation.channels.push({sampler: animation.samplers.length - 1, target: {node, path}});
    }
    return this.add('animations', animation);
  }

  bufferBytes(i) { return Buffer.concat(this.buffers[i].parts); }

  /** Fills `buffers` for a GLB: the first lies in the file, the others where `place` says. */
  #fillBuffers(place) {
    this.json.buffers = this.buffers.map((_, i) => {
      const {uri, ...extra} = place(i) ?? {};
      return {byteLength: extra.byteLength ?? this.buffers[i].size, ...(uri === undefined ? {} : {uri}), ...extra};
    });
    if (this.buffers.length === 1 && this.buffers[0].size === 0) delete this.json.buffers;
  }

  glb(path, {place = () => undefined, chunks = [], text} = {}) {
    this.#fillBuffers(place);
    const json = text ? text(this.json) : JSON.stringify(this.json);
    const all = [[0x4e4f534a, pad(Buffer.from(json), 4, 0x20)]];
    if (this.json.buffers && this.json.buffers[0].uri === undefined) all.push([0x004e4942, this.bufferBytes(0)]);
    all.push(...chunks);
    const parts = all.map(([type, bytes]) => {
      const head = Buffer.alloc(8);
      head.writeUInt32LE(bytes.length, 0);
      head.writeUInt32LE(type, 4);
      return Buffer.concat([head, bytes]);
    });
    const head = Buffer.alloc(12);
    head.write('glTF', 'latin1');
    head.writeUInt32LE(2, 4);
    head.writeUInt32LE(12 + parts.reduce((sum, part) => sum + part.length, 0), 8);
    write(path, Buffer.concat([head, ...parts]));
  }

  /** A .gltf whose buffers are data URIs, or files where `names` has one. */
  gltf(path, {names = {}, buffer = () => ({}), indent = 2} = {}) {
    this.#fillBuffers(i => {
      if (names[i] === undefined) return {uri: dataUri(this.bufferBytes(i)), ...buffer(i)};
      if (names[i] !== null) write(join(dirname(path), names[i]), this.bufferBytes(i));
      return {...(names[i] === null ? {} : {uri: encodeURI(names[i])}), ...buffer(i)};
    });
    write(path, JSON.stringify(this.json, null, indent));
  }
}

export function write(path, bytes) {
  mkdirSync(dirname(path), {recursive: true});
  writeFileSync(path, bytes);
}

export const dataUri = (bytes, type = 'application/octet-stream') => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** Bytes of flat numbers as an accessor stores them, matrix columns aligned, elements `stride` apart. */
export function pack(values, componentType, type, stride) {
  const kind = COMPONENT_TYPES[componentType];
  const width = COMPONENTS[type];
  const layout = elementLayout(type, kind.size);
  const step = stride ?? layout.bytes;
  const count = values.length / width;
  const bytes = new Uint8Array(count ? (count - 1) * step + layout.bytes : 0);
  const data = new DataView(bytes.buffer);
  const writer = kind.read.replace('get', 'set');
  for (let i = 0; i < count; ++i) {
    for (let c = 0; c < width; ++c) data[writer](i * step + layout.offsets[c], values[i * width + c], true);
  }
  return bytes;
}

/** {min, max} of flat numbers as they are stored. */
export function limits(values, componentType, type) {
  const stored = COMPONENT_TYPES[componentType].array.from(values);
  const width = COMPONENTS[type];
  const min = new Array(width).fill(Infinity);
  const max = new Array(width).fill(-Infinity);
  stored.forEach((value, i) => {
    min[i % width] = Math.min(min[i % width], value);
    max[i % width] = Math.max(max[i % width], value);
  });
  return {min, max};
}

/** CRC-32 of PNG chunks. */
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let k = 0; k < 8; ++k) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** A PNG of random colours. */
export function png(size, seed) {
  const next = random(seed);
  const chunk = (type, body) => {
    const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
    const out = Buffer.alloc(typed.length + 8);
    out.writeUInt32BE(body.length, 0);
    typed.copy(out, 4);
    out.writeUInt32BE(crc32(typed), typed.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(size * (1 + size * 3));
  for (let i = 0; i < rows.length; ++i) rows[i] = i % (1 + size * 3) === 0 ? 0 : Math.floor(next() * 256);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** An open tube along +y from 0 to `height`, with a seam: positions, normals, uvs, indices, and t along it per vertex. */
export function tube({rings = 7, sides = 8, height = 2, radius = 0.3} = {}) {
  const out = {positions: [], normals: [], uvs: [], indices: [], along: []};
  for (let r = 0; r < rings; ++r) {
    const t = r / (rings - 1);
    for (let s = 0; s <= sides; ++s) {
      const angle = (2 * Math.PI * (s % sides)) / sides;
      out.positions.push(radius * Math.cos(angle), height * t, radius * Math.sin(angle));
      out.normals.push(Math.cos(angle), 0, Math.sin(angle));
      out.uvs.push(s / sides, t);
      out.along.push(t);
    }
  }
  for (let r = 0; r + 1 < rings; ++r) {
    for (let s = 0; s < sides; ++s) {
      const a = r * (sides + 1) + s;
      out.indices.push(a, a + sides + 1, a + 1, a + 1, a + sides + 1, a + sides + 2);
    }
  }
  return out;
}

/** Joints and weights of `sets`·4 influences per vertex that sum to `total` (an integer), or to 1 when it is 1. */
export function influences(vertexCount, jointCount, sets, total, seed) {
  const next = random(seed);
  const joints = Array.from({length: sets}, () => []);
  const weights = Array.from({length: sets}, () => []);
  for (let i = 0; i < vertexCount; ++i) {
    let row = Array.from({length: sets * 4}, (_, k) => (k < jointCount ? next() : 0));
    const sum = row.reduce((a, b) => a + b, 0);
    row = row.map(value => value / sum);
    if (total !== 1) {
      row = row.map(value => Math.floor(value * total));
      row[0] += total - row.reduce((a, b) => a + b, 0);
    }
    row.forEach((weight, k) => {
      weights[k >> 2].push(weight);
      // Every joint once per row, and joint 0 where a weight is 0, as the specification asks.
      joints[k >> 2].push(weight === 0 ? 0 : k);
    });
  }
  return {joints, weights};
}

export const translation = (x, y, z) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
export const turn = (axis, angle) => {
  const length = Math.hypot(...axis);
  return [...axis.map(value => (value / length) * Math.sin(angle / 2)), Math.cos(angle / 2)];
};
