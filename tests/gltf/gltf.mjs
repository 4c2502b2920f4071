// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// A small reader of glTF 2.0 and GLB for the tests. It shares nothing with the library's own reader on purpose: one
// judges the other. It reads well-formed files; a malformed one throws.

import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, resolve} from 'node:path';

const require = createRequire(import.meta.url);
const {MeshoptDecoder} = require('meshoptimizer');
const draco3d = require('draco3d');

export const COMPONENTS = {SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16};
const ROWS = {MAT2: 2, MAT3: 3, MAT4: 4};

export const COMPONENT_TYPES = {
  5120: {array: Int8Array, size: 1, read: 'getInt8', max: 127},
  5121: {array: Uint8Array, size: 1, read: 'getUint8', max: 255},
  5122: {array: Int16Array, size: 2, read: 'getInt16', max: 32767},
  5123: {array: Uint16Array, size: 2, read: 'getUint16', max: 65535},
  5125: {array: Uint32Array, size: 4, read: 'getUint32', max: 4294967295},
  5126: {array: Float32Array, size: 4, read: 'getFloat32', max: 1},
};

// One instance for the whole process: several, made and dropped one after another, can stop Node's WebAssembly for good.
let dracoDecoder;
const dracoModule = () => (dracoDecoder ??= draco3d.createDecoderModule({}));

const MESHOPT_NAMES = ['EXT_meshopt_compression', 'KHR_meshopt_compression'];

/** The meshopt extension of a buffer view, whatever it is called, or undefined. */
export function meshoptOf(view) {
  for (const name of MESHOPT_NAMES) if (view.extensions?.[name]) return view.extensions[name];
  return undefined;
}

/** Offsets of the components of one element: columns of small matrices start at multiples of four bytes. */
export function elementLayout(type, size) {
  const rows = ROWS[type];
  const offsets = [];
  if (!rows) {
    for (let i = 0; i < COMPONENTS[type]; ++i) offsets.push(i * size);
    return {offsets, bytes: offsets.length * size};
  }
  const column = Math.ceil((rows * size) / 4) * 4;
  for (let c = 0; c < rows; ++c) for (let r = 0; r < rows; ++r) offsets.push(c * column + r * size);
  return {offsets, bytes: rows * column};
}

function parseGlb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(4, true) !== 2) throw new Error('not GLB version 2');
  const end = Math.min(view.getUint32(8, true), bytes.length);
  const chunks = [];
  for (let at = 12; at + 8 <= end;) {
    const length = view.getUint32(at, true);
    chunks.push({type: view.getUint32(at + 4, true), bytes: bytes.subarray(at + 8, at + 8 + length)});
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (chunks[0]?.type !== 0x4e4f534a) throw new Error('the first chunk is not JSON');
  const text = new TextDecoder().decode(chunks[0].bytes);
  const binary = chunks[1]?.type === 0x004e4942 ? chunks[1].bytes : undefined;
  return {json: JSON.parse(text), binary, others: chunks.slice(binary ? 2 : 1)};
}

function fromDataUri(uri) {
  const comma = uri.indexOf(',');
  const head = uri.slice(5, comma);
  const body = uri.slice(comma + 1);
  const bytes = head.endsWith(';base64') ? Buffer.from(body, 'base64') : Buffer.from(decodeURIComponent(body), 'latin1');
  return {bytes: new Uint8Array(bytes), mimeType: head.split(';')[0]};
}

/** One file, with everything it refers to read when asked for. */
export class Gltf {
  static async open(path) {
    await MeshoptDecoder.ready;
    const file = new Gltf(path);
    await file.#decodeDraco();
    return file;
  }

  constructor(path) {
    this.path = path;
    const bytes = new Uint8Array(readFileSync(path));
    this.isGlb = bytes.length >= 12 && bytes[0] === 0x67 && bytes[1] === 0x6c && bytes[2] === 0x54 && bytes[3] === 0x46;
    const parsed = this.isGlb ? parseGlb(bytes) : {json: JSON.parse(new TextDecoder().decode(bytes)), others: []};
    Object.assign(this, parsed);
    this.buffers = new Map();
    this.views = new Map();
    this.raw = new Map();
    /** Contents that Draco data gives to accessors: accessor index to array. */
    this.draco = new Map();
  }

  /** Bytes a URI stands for, undefined when there is no such file. */
  resource(uri) {
    if (/^data:/i.test(uri)) return fromDataUri(uri);
    try {
      return {bytes: new Uint8Array(readFileSync(resolve(dirname(this.path), decodeURIComponent(uri))))};
    } catch {
      return undefined;
    }
  }

  /** Bytes of a buffer, or undefined for one without data (a fallback buffer of compressed views). */
  buffer(index) {
    if (!this.buffers.has(index)) {
      const {uri, byteLength} = this.json.buffers[index];
      let bytes = uri !== undefined ? this.resource(uri)?.bytes : index === 0 ? this.binary : undefined;
      if (bytes && bytes.length < byteLength) throw new Error(`buffer ${index} has ${bytes.length} of ${byteLength} bytes`);
      this.buffers.set(index, bytes?.subarray(0, byteLength));
    }
    return this.buffers.get(index);
  }

  /** Bytes of a buffer view, decompressed; undefined where there are none. */
  view(index) {
    if (!this.views.has(index)) this.views.set(index, this.#readView(this.json.bufferViews[index]));
    return this.views.get(index);
  }

  /** The bytes of a view's uncompressed form as the file has it, if it has it. */
  plainView(index) {
    const {buffer, byteOffset = 0, byteLength} = this.json.bufferViews[index];
    return this.buffer(buffer)?.subarray(byteOffset, byteOffset + byteLength);
  }

  #readView(view) {
    const packed = meshoptOf(view);
    if (!packed) {
      const start = view.byteOffset ?? 0;
      return this.buffer(view.buffer)?.subarray(start, start + view.byteLength);
    }
    const source = this.buffer(packed.buffer);
    if (!source) throw new Error('compressed data is missing');
    const start = packed.byteOffset ?? 0;
    const target = new Uint8Array(packed.count * packed.byteStride);
    MeshoptDecoder.decodeGltfBuffer(
        target, packed.count, packed.byteStride, source.subarray(start, start + packed.byteLength), packed.mode,
        packed.filter ?? 'NONE');
    return target;
  }

  /** Components of an accessor as they are stored: sparse values in place, nothing normalised. */
  components(index, useDraco = true) {
    if (useDraco && this.draco.has(index)) return this.draco.get(index);
    if (!this.raw.has(index)) this.raw.set(index, this.#readAccessor(this.json.accessors[index]));
    return this.raw.get(index);
  }

  #readAccessor(accessor) {
    const kind = COMPONENT_TYPES[accessor.componentType];
    const width = COMPONENTS[accessor.type];
    const out = new kind.array(accessor.count * width);
    const layout = elementLayout(accessor.type, kind.size);
    const copy = (viewIndex, byteOffset, count, place) => {
      const bytes = this.view(viewIndex);
      if (!bytes) throw new Error(`buffer view ${viewIndex} has no data`);
      const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const stride = this.json.bufferViews[viewIndex].byteStride ?? layout.bytes;
      for (let i = 0; i < count; ++i) {
        for (let c = 0; c < width; ++c) {
          out[place(i) * width + c] = data[kind.read](byteOffset + i * stride + layout.offsets[c], true);
        }
      }
    };
    if (accessor.bufferView !== undefined) copy(accessor.bufferView, accessor.byteOffset ?? 0, accessor.count, i => i);
    if (accessor.sparse) {
      const {count, indices, values} = accessor.sparse;
      const indexKind = COMPONENT_TYPES[indices.componentType];
      const bytes = this.view(indices.bufferView);
      const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const start = indices.byteOffset ?? 0;
      copy(values.bufferView, values.byteOffset ?? 0, count, i => data[indexKind.read](start + i * indexKind.size, true));
    }
    return out;
  }

  /** Numbers of an accessor in double: normalised integers become fractions. */
  numbers(index) {
    const accessor = this.json.accessors[index];
    const components = this.components(index);
    const out = Float64Array.from(components);
    if (accessor.normalized) {
      const {max} = COMPONENT_TYPES[accessor.componentType];
      for (let i = 0; i < out.length; ++i) out[i] = Math.max(out[i] / max, -1);
    }
    return out;
  }

  /** {bytes, mimeType} of an image; bytes undefined when they are missing. */
  image(index) {
    const image = this.json.images[index];
    if (image.bufferView !== undefined) return {bytes: this.view(image.bufferView), mimeType: image.mimeType};
    const found = image.uri === undefined ? undefined : this.resource(image.uri);
    return {bytes: found?.bytes, mimeType: image.mimeType ?? found?.mimeType};
  }

  async #decodeDraco() {
    for (const mesh of this.json.meshes ?? []) {
      for (const primitive of mesh.primitives) {
        const packed = primitive.extensions?.KHR_draco_mesh_compression;
        if (!packed) continue;
        this.#decodeDracoPrimitive(await dracoModule(), primitive, packed);
      }
    }
  }

  #decodeDracoPrimitive(draco, primitive, packed) {
    const decoder = new draco.Decoder();
    const bytes = this.view(packed.bufferView);
    const geometry = new draco.Mesh();
    const status = decoder.DecodeArrayToMesh(bytes, bytes.length, geometry);
    if (!status.ok()) throw new Error(`Draco: ${status.error_msg()}`);
    if (primitive.indices !== undefined) {
      const accessor = this.json.accessors[primitive.indices];
      const count = geometry.num_faces() * 3;
      const pointer = draco._malloc(count * 4);
      decoder.GetTrianglesUInt32Array(geometry, count * 4, pointer);
      const indices = draco.HEAPU32.slice(pointer / 4, pointer / 4 + count);
      draco._free(pointer);
      this.draco.set(primitive.indices, COMPONENT_TYPES[accessor.componentType].array.from(indices));
    }
    for (const [semantic, id] of Object.entries(packed.attributes)) {
      const index = primitive.attributes[semantic];
      const accessor = this.json.accessors[index];
      const attribute = decoder.GetAttributeByUniqueId(geometry, id);
      this.draco.set(index, dracoValues(draco, decoder, geometry, attribute, accessor));
    }
    draco.destroy(geometry);
    draco.destroy(decoder);
  }
}

function dracoValues(draco, decoder, geometry, attribute, accessor) {
  const types = {
    5120: ['DT_INT8', 'HEAP8'], 5121: ['DT_UINT8', 'HEAPU8'], 5122: ['DT_INT16', 'HEAP16'],
    5123: ['DT_UINT16', 'HEAPU16'], 5125: ['DT_UINT32', 'HEAPU32'], 5126: ['DT_FLOAT32', 'HEAPF32'],
  };
  const kind = COMPONENT_TYPES[accessor.componentType];
  const [type, heap] = types[accessor.componentType];
  const count = geometry.num_points() * attribute.num_components();
  const pointer = draco._malloc(count * kind.size);
  decoder.GetAttributeDataArrayForAllPoints(geometry, attribute, draco[type], count * kind.size, pointer);
  const values = draco[heap].slice(pointer / kind.size, pointer / kind.size + count);
  draco._free(pointer);
  return values;
}

/** Name of an image's format by its first bytes, or undefined. */
export function sniffImage(bytes) {
  const starts = (...values) => values.every((value, i) => bytes[i] === value);
  if (starts(0x89, 0x50, 0x4e, 0x47)) return 'image/png';
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0xab, 0x4b, 0x54, 0x58, 0x20, 0x32)) return 'image/ktx2';
  if (starts(0x52, 0x49, 0x46, 0x46) && bytes[8] === 0x57) return 'image/webp';
  return undefined;
}
