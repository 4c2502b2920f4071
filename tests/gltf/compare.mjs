// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node compare.mjs A B [--strict]
//
// Is B the same character as A after a conversion? Everything in the JSON has to be equal, arrays in order, apart from
// what the container demands: buffers and views may be laid out anew, compressed data may come out decoded, a picture
// may move into the file. Wherever the JSON points at bytes, the bytes are compared: decoded accessor components bit for
// bit, pictures, and the views that unknown extensions refer to. Prints each difference; exit code 1 if there is one.
// What is allowed but worth knowing is printed as a note; with --strict a note counts as a difference.

import {fileURLToPath} from 'node:url';
import {COMPONENTS, COMPONENT_TYPES, Gltf, meshoptOf, sniffImage} from './gltf.mjs';

const COMPRESSIONS = ['EXT_meshopt_compression', 'KHR_meshopt_compression', 'KHR_draco_mesh_compression'];
const MAX_SHOWN = 40;

function sameBytes(a, b) {
  if (a === undefined || b === undefined) return a === b;
  if (a.byteLength !== b.byteLength) return false;
  return Buffer.compare(Buffer.from(a.buffer, a.byteOffset, a.byteLength), Buffer.from(b.buffer, b.byteOffset, b.byteLength)) === 0;
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);
const without = (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
const show = value => {
  const text = JSON.stringify(value);
  return text === undefined ? 'nothing' : text.length > 80 ? `${text.slice(0, 77)}...` : text;
};

class Comparison {
  constructor(a, b) {
    this.a = a;
    this.b = b;
    this.differences = [];
    this.notes = [];
  }

  differ(path, text) { this.differences.push(`${path}: ${text}`); }
  note(path, text) { this.notes.push(`${path}: ${text}`); }

  /** Equal JSON; a number under the key `bufferView` stands for the bytes of that view. */
  deep(a, b, path) {
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length !== b.length) this.differ(path, `${a.length} entries became ${b.length}`);
      for (let i = 0; i < Math.min(a.length, b.length); ++i) this.deep(a[i], b[i], `${path}/${i}`);
    } else if (isObject(a) && isObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        const at = `${path}/${key}`;
        if (!Object.hasOwn(b, key)) this.differ(at, `lost, was ${show(a[key])}`);
        else if (!Object.hasOwn(a, key)) this.differ(at, `added, is ${show(b[key])}`);
        else if (key === 'bufferView' && Number.isInteger(a[key]) && Number.isInteger(b[key])) this.viewBytes(a[key], b[key], at);
        else this.deep(a[key], b[key], at);
      }
    } else if (!Object.is(a, b) && !(a === 0 && b === 0)) {
      this.differ(path, `${show(a)} became ${show(b)}`);
    }
  }

  viewBytes(a, b, path) {
    if (!this.a.json.bufferViews?.[a] || !this.b.json.bufferViews?.[b]) {
      if (a !== b) this.differ(path, `${a} became ${b}`);
    } else if (!sameBytes(this.a.view(a), this.b.view(b))) {
      this.differ(path, `the bytes of view ${a} are not those of view ${b}`);
    }
  }

  /** Compares two lists of the document entry by entry. */
  list(name, compareEntry) {
    const a = this.a.json[name] ?? [];
    const b = this.b.json[name] ?? [];
    if (a.length !== b.length) this.differ(`/${name}`, `${a.length} entries became ${b.length}`);
    for (let i = 0; i < Math.min(a.length, b.length); ++i) compareEntry(a[i], b[i], `/${name}/${i}`, i);
  }

  accessor(a, b, path, index) {
    const layout = ['bufferView', 'byteOffset', 'sparse'];
    // Bounds of Draco's accessors are those before it rounded; a writer that decodes may put them right.
    if (this.a.draco.has(index) && !this.b.draco.has(index) && b.min && hasRightBounds(b, this.b.components(index))) layout.push('min', 'max');
    this.deep(without(a, ...layout), without(b, ...layout), path);
    if (a.componentType !== b.componentType || a.type !== b.type || a.count !== b.count) return;
    if (Boolean(a.sparse) !== Boolean(b.sparse)) this.note(path, a.sparse ? 'sparse became dense' : 'dense became sparse');
    if (a.sparse && b.sparse) {
      this.deep(sparseRest(a.sparse), sparseRest(b.sparse), `${path}/sparse`);
    }
    const values = this.b.components(index);
    const candidates = [this.a.components(index)];
    // A file may carry both compressed and plain data; a writer may keep either.
    if (this.a.draco.has(index) && a.bufferView !== undefined) candidates.push(this.a.components(index, false));
    if (!candidates.some(candidate => sameBytes(candidate, values))) this.accessorDifference(candidates[0], values, path, a);
  }

  accessorDifference(a, b, path, accessor) {
    let count = 0;
    let first = -1;
    const bits = [a, b].map(x => new Uint8Array(x.buffer, x.byteOffset, x.byteLength));
    const size = COMPONENT_TYPES[accessor.componentType].size;
    for (let i = 0; i < Math.max(a.length, b.length); ++i) {
      let equal = i < a.length && i < b.length;
      for (let k = 0; equal && k < size; ++k) equal = bits[0][i * size + k] === bits[1][i * size + k];
      if (equal) continue;
      ++count;
      if (first < 0) first = i;
    }
    this.differ(path, `${count} of ${a.length} components differ, first at ${first}: ${a[first]} became ${b[first]}`);
  }

  image(a, b, path, index) {
    const layout = ['uri', 'bufferView', 'mimeType'];
    // A picture that moves into the file may keep the name of the file it was in.
    const file = a.uri === undefined || a.uri.startsWith('data:') ? '' : decodeURIComponent(a.uri).split('/').pop();
    if (a.name === undefined && b.uri === undefined && file && [file, file.replace(/\.[^.]*$/, '')].includes(b.name)) {
      this.note(`${path}/name`, `added, is ${show(b.name)}, from the uri`);
      layout.push('name');
    }
    this.deep(without(a, ...layout), without(b, ...layout), path);
    const before = this.a.image(index);
    const after = this.b.image(index);
    if (!before.bytes) {
      if (a.uri !== b.uri) this.differ(`${path}/uri`, `the missing picture ${show(a.uri)} became ${show(b.uri)}`);
      return;
    }
    if (!sameBytes(before.bytes, after.bytes)) this.differ(path, 'the bytes of the picture differ');
    const type = before.mimeType ?? sniffImage(before.bytes);
    if (after.mimeType !== before.mimeType && after.mimeType !== type) {
      this.differ(`${path}/mimeType`, `${show(type)} became ${show(after.mimeType)}`);
    }
  }

  mesh(a, b, path) {
    this.deep(without(a, 'primitives'), without(b, 'primitives'), path);
    if (a.primitives.length !== b.primitives.length) this.differ(`${path}/primitives`, `${a.primitives.length} became ${b.primitives.length}`);
    for (let k = 0; k < Math.min(a.primitives.length, b.primitives.length); ++k) {
      const [before, after] = [a.primitives[k], b.primitives[k]];
      const decoded = before.extensions?.KHR_draco_mesh_compression && !after.extensions?.KHR_draco_mesh_compression;
      if (decoded) this.note(`${path}/primitives/${k}`, 'Draco data came out decoded');
      this.deep(decoded ? withoutExtensions(before) : before, after, `${path}/primitives/${k}`);
    }
  }

  /** The lists of extensions, less those that decoding made needless. */
  extensionList(name) {
    const a = this.a.json[name] ?? [];
    const b = this.b.json[name] ?? [];
    const gone = COMPRESSIONS.filter(extension => a.includes(extension) && !b.includes(extension));
    for (const extension of gone) {
      if (usesExtension(this.b.json, extension)) this.differ(`/${name}`, `${extension} is used but no longer listed`);
    }
    this.deep(a.filter(extension => !gone.includes(extension)), b, `/${name}`);
  }

  /** Names, extras and extensions of buffers and views, and the bytes of views nothing points at. */
  layout() {
    const plain = view => without(withoutExtensions(view), 'buffer', 'byteOffset', 'byteLength', 'byteStride', 'target');
    const views = {a: this.a.json.bufferViews ?? [], b: this.b.json.bufferViews ?? []};
    const labels = views.b.map(view => JSON.stringify(sorted(plain(view))));
    const referred = referredViews(this.a.json);
    const dracoOnly = dracoViews(this.a.json);
    views.a.forEach((view, i) => {
      const path = `/bufferViews/${i}`;
      const label = JSON.stringify(sorted(plain(view)));
      if (label !== '{}') {
        const at = labels.indexOf(label);
        if (at >= 0) labels.splice(at, 1);
        else if (dracoOnly.has(i)) this.note(path, `${label} went with the Draco data`);
        else this.differ(path, `${label} is lost`);
      }
      if (!referred.has(i) && this.a.view(i) && !views.b.some((_, k) => sameBytes(this.a.view(i), this.b.view(k)))) {
        this.differ(path, 'nothing points at this view, and its bytes are lost');
      }
      if (meshoptOf(view) && views.b.length === views.a.length && !meshoptOf(views.b[i])) this.note(path, 'meshopt data came out decoded');
    });
    const bufferLabel = buffer => JSON.stringify(sorted(without(withoutExtensions(buffer), 'uri', 'byteLength')));
    const left = (this.b.json.buffers ?? []).map(bufferLabel);
    for (const [i, buffer] of (this.a.json.buffers ?? []).entries()) {
      const label = bufferLabel(buffer);
      if (label !== '{}' && !left.includes(label)) this.note(`/buffers/${i}`, `${label} is lost, buffers were merged`);
    }
  }

  chunks() {
    for (const chunk of this.a.others) {
      const kept = this.b.others.some(other => other.type === chunk.type && sameBytes(other.bytes, chunk.bytes));
      if (!kept && this.b.isGlb) this.differ('/', `GLB chunk of type 0x${chunk.type.toString(16)} is lost`);
    }
  }

  run() {
    const special = ['accessors', 'images', 'meshes', 'buffers', 'bufferViews', 'extensionsUsed', 'extensionsRequired'];
    this.deep(without(this.a.json, ...special), without(this.b.json, ...special), '');
    this.list('accessors', (...entry) => this.accessor(...entry));
    this.list('images', (...entry) => this.image(...entry));
    this.list('meshes', (...entry) => this.mesh(...entry));
    this.extensionList('extensionsUsed');
    this.extensionList('extensionsRequired');
    this.layout();
    this.chunks();
    return this;
  }
}

function hasRightBounds({min, max, type}, values) {
  const width = COMPONENTS[type];
  const right = (bounds, pick) => bounds?.length === width &&
      bounds.every((bound, c) => values.reduce((best, value, i) => (i % width === c ? pick(best, value) : best), bound) === bound &&
          values.some((value, i) => i % width === c && value === bound));
  return right(min, Math.min) && right(max, Math.max);
}

function sparseRest(sparse) {
  const layout = ['bufferView', 'byteOffset', 'componentType'];
  return {...sparse, indices: without(sparse.indices, ...layout), values: without(sparse.values, ...layout)};
}

/** An object without the compression extensions, and without an `extensions` table that this empties. */
function withoutExtensions(object) {
  if (!object.extensions) return object;
  const rest = without(object.extensions, ...COMPRESSIONS);
  return Object.keys(rest).length ? {...object, extensions: rest} : without(object, 'extensions');
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map(key => [key, sorted(value[key])]));
}

function usesExtension(value, name) {
  if (value === null || typeof value !== 'object') return false;
  if (isObject(value.extensions) && Object.hasOwn(value.extensions, name)) return true;
  return Object.values(value).some(inner => usesExtension(inner, name));
}

function collectViews(value, found) {
  if (value === null || typeof value !== 'object') return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'bufferView' && Number.isInteger(inner)) found.add(inner);
    else collectViews(inner, found);
  }
  return found;
}

const referredViews = json => collectViews(without(json, 'bufferViews'), new Set());

function dracoViews(json) {
  const found = new Set();
  for (const mesh of json.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      const packed = primitive.extensions?.KHR_draco_mesh_compression;
      if (packed) found.add(packed.bufferView);
    }
  }
  return found;
}

/** {differences, notes} of two files, as sentences. */
export async function compareFiles(before, after) {
  const {differences, notes} = new Comparison(await Gltf.open(before), await Gltf.open(after)).run();
  return {differences, notes};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = process.argv.slice(2).filter(argument => !argument.startsWith('--'));
  if (files.length !== 2) {
    console.error('usage: node compare.mjs A B [--strict]');
    process.exit(2);
  }
  const {differences, notes} = await compareFiles(...files);
  for (const line of differences.slice(0, MAX_SHOWN)) console.log(`different ${line}`);
  if (differences.length > MAX_SHOWN) console.log(`… and ${differences.length - MAX_SHOWN} more`);
  for (const line of notes.slice(0, MAX_SHOWN)) console.log(`note      ${line}`);
  console.log(differences.length ? `${differences.length} differences` : 'the same');
  process.exit(differences.length || (process.argv.includes('--strict') && notes.length) ? 1 : 0);
}
