// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Fixtures about bytes: accessors of all kinds, compressed data, where buffers and pictures lie, containers.

import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {FLOAT, I16, I8, U16, U32, U8, Builder, dataUri, influences, pack, png, random, translation, tube, turn, write} from './builder.mjs';
import {chain, inverseBinds, tubePrimitive} from './fixtures_rig.mjs';
import {COMPONENTS, COMPONENT_TYPES} from './gltf.mjs';

const require = createRequire(import.meta.url);
const {MeshoptEncoder} = require('meshoptimizer');
const draco3d = require('draco3d');

/** Every component type with every type, plain, normalised, offset and strided; nothing points at most of them. */
export function accessors(path) {
  const b = new Builder({scene: 0});
  const next = random(3);
  for (const type of Object.keys(COMPONENTS)) {
    for (const [key, kind] of Object.entries(COMPONENT_TYPES)) {
      const componentType = Number(key);
      const integer = componentType !== FLOAT;
      const values = Array.from({length: 5 * COMPONENTS[type]}, () => integer ? Math.floor((next() - (kind.array.name.startsWith('U') ? 0 : 0.5)) * kind.max) : next() * 100 - 50);
      b.accessor(values, componentType, type, {bounds: true, name: `${type} ${key}`, ...(integer && componentType !== U32 && next() < 0.5 ? {normalized: true} : {})});
    }
  }
  // Two accessors on one view, the second further in.
  const values = Array.from({length: 30}, () => next());
  const bufferView = b.view(pack(values, FLOAT, 'VEC3'));
  b.accessorOn({bufferView}, values.slice(0, 15), FLOAT, 'VEC3', {name: 'front half'});
  b.accessorOn({bufferView, byteOffset: 60}, values.slice(15), FLOAT, 'VEC3', {name: 'back half'});
  const primitive = tubePrimitive(b);
  const count = tube().along.length;
  primitive.attributes.COLOR_0 = b.accessor(Array.from({length: count * 4}, () => Math.floor(next() * 256)), U8, 'VEC4', {normalized: true});
  primitive.attributes.COLOR_1 = b.accessor(Array.from({length: count * 3}, () => Math.floor(next() * 65536)), U16, 'VEC3', {normalized: true, stride: 8});
  primitive.attributes.TEXCOORD_1 = b.accessor(Array.from({length: count * 2}, () => Math.floor(next() * 256)), U8, 'VEC2', {normalized: true, stride: 4});
  primitive.attributes._MINE = b.accessor(Array.from({length: count}, () => next()), FLOAT, 'SCALAR');
  primitive.attributes['_ANOTHER-ONE'] = b.accessor(Array.from({length: count * 4}, () => Math.floor(next() * 65536) - 32768), I16, 'VEC4');
  b.add('nodes', {mesh: b.add('meshes', {primitives: [primitive]})});
  b.add('scenes', {nodes: [0]});
  b.gltf(path);
}

/** Sparse accessors with and without base values, with all types of indices, as attribute, indices and morph. */
export function sparse(path) {
  const b = new Builder({scene: 0});
  const shape = tube();
  const primitive = tubePrimitive(b, shape);
  const edit = (componentType, at, values, type, valueType = FLOAT) => ({
    count: at.length,
    indices: {bufferView: b.view(pack(at, componentType, 'SCALAR')), componentType},
    values: {bufferView: b.view(pack(values, valueType, type))},
  });
  const changed = Array.from(Float32Array.from(shape.positions));
  [[0, 0.5], [10, 1.5], [62, 2.5]].forEach(([vertex, x]) => { changed[vertex * 3] = x; });
  const moved = [0, 10, 62].flatMap(vertex => changed.slice(vertex * 3, vertex * 3 + 3));
  const base = b.view(pack(shape.positions, FLOAT, 'VEC3'));
  primitive.attributes.POSITION = b.accessorOn({bufferView: base}, changed, FLOAT, 'VEC3', {bounds: true, sparse: edit(U8, [0, 10, 62], moved, 'VEC3')});
  const deltas = shape.positions.map(() => 0);
  deltas[15] = 1;
  deltas[34] = -2;
  const morph = (type, name) => ({
    POSITION: b.accessorOn({}, deltas, FLOAT, 'VEC3', {bounds: true, name, sparse: {...edit(type, [5, 11], [1, 0, 0, 0, -2, 0], 'VEC3'), extras: {kept: true}}}),
  });
  primitive.targets = [morph(U8, 'bytes'), morph(U16, 'shorts'), morph(U32, 'ints')];
  const indices = [...shape.indices];
  indices[5] = 20;
  primitive.indices = b.accessorOn({bufferView: b.view(pack(shape.indices, U16, 'SCALAR'))}, indices, U16, 'SCALAR', {sparse: edit(U16, [5], [20], 'SCALAR', U16)});
  b.add('nodes', {mesh: b.add('meshes', {primitives: [primitive], weights: [1, 0.5, 0.25]})});
  b.add('scenes', {nodes: [0]});
  b.glb(path);
}

/** All attributes of a skinned tube in one view, each element after the other, with gaps. */
export function interleaved(path) {
  const b = new Builder({scene: 0});
  const shape = tube();
  const count = shape.along.length;
  const {joints, weights} = influences(count, 2, 1, 255, 4);
  const stride = 48;
  const bytes = new Uint8Array(count * stride).fill(0xab);
  const place = (values, componentType, type, offset) => {
    const packed = pack(values, componentType, type);
    const size = packed.length / count;
    for (let i = 0; i < count; ++i) bytes.set(packed.subarray(i * size, (i + 1) * size), i * stride + offset);
  };
  place(shape.positions, FLOAT, 'VEC3', 4);
  place(shape.normals, FLOAT, 'VEC3', 16);
  place(shape.uvs, FLOAT, 'VEC2', 28);
  place(joints[0], U8, 'VEC4', 36);
  place(weights[0], U8, 'VEC4', 44);
  const bufferView = b.view(bytes, {byteStride: stride, target: 34962, name: 'interleaved', extras: {note: 'kept'}});
  const on = (byteOffset, values, componentType, type, extra) => b.accessorOn({bufferView, byteOffset}, values, componentType, type, extra);
  const attributes = {
    POSITION: on(4, shape.positions, FLOAT, 'VEC3', {bounds: true}),
    NORMAL: on(16, shape.normals, FLOAT, 'VEC3'),
    TEXCOORD_0: on(28, shape.uvs, FLOAT, 'VEC2'),
    JOINTS_0: on(36, joints[0], U8, 'VEC4'),
    WEIGHTS_0: on(44, weights[0], U8, 'VEC4', {normalized: true}),
  };
  const indices = b.indices(shape.indices, U16, {view: {target: 34963}});
  const bones = chain(b, ['lower', 'upper']);
  b.json.nodes[bones[1]].rotation = turn([0, 0, 1], 0.5);
  const skin = b.add('skins', {joints: bones, inverseBindMatrices: b.accessor(inverseBinds([0, 1]), FLOAT, 'MAT4')});
  const node = b.add('nodes', {mesh: b.add('meshes', {primitives: [{attributes, indices}]}), skin});
  b.add('scenes', {nodes: [bones[0], node]});
  b.glb(path);
}

/** KHR_mesh_quantization: positions, normals, coordinates and morphs in small integers, skinned and not. */
export function quantized(path) {
  const b = new Builder({scene: 0}).require('KHR_mesh_quantization').use('KHR_texture_transform');
  const shape = tube();
  const {joints, weights} = influences(shape.along.length, 2, 1, 255, 6);
  const scaled = (values, scale) => values.map(value => Math.round(value * scale));
  const step = 1 / 4096;
  const primitive = {
    attributes: {
      POSITION: b.accessor(scaled(shape.positions, 4096), I16, 'VEC3', {bounds: true, stride: 8}),
      NORMAL: b.accessor(scaled(shape.normals, 127), I8, 'VEC3', {normalized: true, stride: 4}),
      TEXCOORD_0: b.accessor(scaled(shape.uvs, 4096), U16, 'VEC2'),
      JOINTS_0: b.accessor(joints[0], U8, 'VEC4'),
      WEIGHTS_0: b.accessor(weights[0], U8, 'VEC4', {normalized: true}),
    },
    indices: b.indices(shape.indices),
    targets: [{POSITION: b.accessor(shape.positions.map((_, i) => i % 100), I8, 'VEC3', {bounds: true, stride: 4})}],
  };
  const texture = b.add('textures', {source: b.add('images', {bufferView: b.view(png(4, 1)), mimeType: 'image/png'})});
  primitive.material = b.add('materials', {pbrMetallicRoughness: {baseColorTexture: {index: texture, extensions: {KHR_texture_transform: {scale: [1 / 4096, 1 / 4096]}}}}});
  const rigid = {
    attributes: {
      POSITION: b.accessor(scaled(shape.positions, 16000), I16, 'VEC3', {bounds: true, normalized: true, stride: 8}),
      TEXCOORD_0: b.accessor(scaled(shape.uvs, 255), U8, 'VEC2', {normalized: true, stride: 4}),
    },
    indices: b.indices(shape.indices),
  };
  const bones = chain(b, ['lower', 'upper']);
  b.json.nodes[bones[1]].rotation = turn([0, 0, 1], 0.5);
  const binds = [0, 1].flatMap(y => translation(0, -y, 0).map((value, k) => (k < 12 && k % 5 === 0 ? value * step : value)));
  const skin = b.add('skins', {joints: bones, inverseBindMatrices: b.accessor(binds, FLOAT, 'MAT4')});
  const body = b.add('nodes', {mesh: b.add('meshes', {primitives: [primitive], weights: [0.5]}), skin});
  const other = b.add('nodes', {mesh: b.add('meshes', {primitives: [rigid]}), scale: [2.048, 2.048, 2.048], translation: [2, 0, 0]});
  b.add('scenes', {nodes: [bones[0], body, other]});
  b.glb(path);
}

/**
 * EXT_meshopt_compression in all modes and with all filters. With `fallback` the plain bytes are there too, in a second
 * file; without it the extension is required and the fallback buffer is empty.
 */
export async function meshopt(path, fallback) {
  await MeshoptEncoder.ready;
  const b = new Builder({scene: 0}).use('KHR_mesh_quantization', 'EXT_meshopt_compression');
  b.require('KHR_mesh_quantization');
  if (!fallback) b.require('EXT_meshopt_compression');
  const shape = tube({rings: 12, sides: 16});
  const count = shape.along.length;
  const compressed = (plain, source, elements, byteStride, mode, filter, extra = {}) => {
    const packed = MeshoptEncoder.encodeGltfBuffer(source, elements, byteStride, mode);
    const byteOffset = b.append(packed);
    const start = b.append(plain, 1);
    return b.add('bufferViews', {
      buffer: 1, byteOffset: start, byteLength: plain.length, ...extra,
      extensions: {EXT_meshopt_compression: {buffer: 0, byteOffset, byteLength: packed.length, byteStride, mode, count: elements, ...(filter ? {filter} : {})}},
    });
  };
  const attribute = (values, componentType, type, byteStride, extra) => {
    const packed = pack(values, componentType, type, byteStride);
    const bytes = new Uint8Array(count * byteStride);
    bytes.set(packed);
    return b.accessorOn({bufferView: compressed(bytes, bytes, count, byteStride, 'ATTRIBUTES', undefined, {byteStride})}, values, componentType, type, extra);
  };
  const filtered = (source, plain, byteStride, filter, place, extra) =>
      b.accessorOn({bufferView: compressed(plain, source, plain.length / byteStride, byteStride, 'ATTRIBUTES', filter, place)}, ...extra);
  const {joints, weights} = influences(count, 2, 1, 255, 7);
  const {MeshoptDecoder} = require('meshoptimizer');
  await MeshoptDecoder.ready;
  const undo = (source, elements, byteStride, filter) => {
    const packed = MeshoptEncoder.encodeGltfBuffer(source, elements, byteStride, 'ATTRIBUTES');
    const plain = new Uint8Array(elements * byteStride);
    MeshoptDecoder.decodeGltfBuffer(plain, elements, byteStride, packed, 'ATTRIBUTES', filter);
    return plain;
  };
  const normals = Float32Array.from(shape.along.flatMap((_, i) => [...shape.normals.slice(i * 3, i * 3 + 3), 0]));
  const octahedral = MeshoptEncoder.encodeFilterOct(normals, count, 4, 8);
  const exponential = MeshoptEncoder.encodeFilterExp(Float32Array.from(shape.positions), count, 12, 14);
  const positions = undo(exponential, count, 12, 'EXPONENTIAL');
  const exact = Array.from(new Float32Array(positions.buffer));
  const primitive = {
    attributes: {
      POSITION: filtered(exponential, positions, 12, 'EXPONENTIAL', {byteStride: 12}, [exact, FLOAT, 'VEC3', {bounds: true}]),
      NORMAL: filtered(octahedral, undo(octahedral, count, 4, 'OCTAHEDRAL'), 4, 'OCTAHEDRAL', {byteStride: 4}, [shape.normals, I8, 'VEC3', {normalized: true}]),
      TEXCOORD_0: attribute(shape.uvs, FLOAT, 'VEC2', 8),
      JOINTS_0: attribute(joints[0], U8, 'VEC4', 4),
      WEIGHTS_0: attribute(weights[0], U8, 'VEC4', 4, {normalized: true}),
    },
  };
  const triangles = pack(shape.indices, U16, 'SCALAR');
  primitive.indices = b.accessorOn({bufferView: compressed(triangles, triangles, shape.indices.length, 2, 'TRIANGLES')}, shape.indices, U16, 'SCALAR');
  const lines = Array.from({length: count}, (_, i) => (i * 7) % count);
  const lineBytes = pack(lines, U32, 'SCALAR');
  const line = {mode: 3, attributes: {POSITION: primitive.attributes.POSITION}, indices: b.accessorOn({bufferView: compressed(lineBytes, lineBytes, count, 4, 'INDICES')}, lines, U32, 'SCALAR')};
  const bones = chain(b, ['lower', 'upper']);
  const keys = 9;
  const turns = Float32Array.from({length: keys}, (_, i) => i).reduce((list, i) => [...list, ...turn([1, 0.5, 0.2], 0.3 * i)], []);
  const quaternion = MeshoptEncoder.encodeFilterQuat(Float32Array.from(turns), keys, 8, 12);
  const output = filtered(quaternion, undo(quaternion, keys, 8, 'QUATERNION'), 8, 'QUATERNION', {}, [turns, I16, 'VEC4', {normalized: true}]);
  const input = b.times(Array.from({length: keys}, (_, i) => i * 0.25));
  b.add('animations', {samplers: [{input, output}], channels: [{sampler: 0, target: {node: bones[1], path: 'rotation'}}]});
  const skin = b.add('skins', {joints: bones, inverseBindMatrices: b.accessor(inverseBinds([0, 1]), FLOAT, 'MAT4')});
  const node = b.add('nodes', {mesh: b.add('meshes', {primitives: [primitive, line]}), skin});
  b.add('scenes', {nodes: [bones[0], node]});
  const mark = {extensions: {EXT_meshopt_compression: {fallback: true}}};
  if (fallback) b.gltf(path, {names: {0: 'meshopt_packed.bin', 1: 'meshopt_plain.bin'}, buffer: i => (i === 1 ? mark : {})});
  else b.glb(path, {place: i => (i === 1 ? mark : undefined)});
}

// One instance for the whole process, as in gltf.mjs.
let dracoEncoder;

async function dracoBytes(shape, joints, weights) {
  dracoEncoder ??= draco3d.createEncoderModule({});
  const draco = await dracoEncoder;
  const builder = new draco.MeshBuilder();
  const mesh = new draco.Mesh();
  builder.AddFacesToMesh(mesh, shape.indices.length / 3, shape.indices);
  const count = shape.along.length;
  const ids = {
    POSITION: builder.AddFloatAttributeToMesh(mesh, draco.POSITION, count, 3, Float32Array.from(shape.positions)),
    NORMAL: builder.AddFloatAttributeToMesh(mesh, draco.NORMAL, count, 3, Float32Array.from(shape.normals)),
    TEXCOORD_0: builder.AddFloatAttributeToMesh(mesh, draco.TEX_COORD, count, 2, Float32Array.from(shape.uvs)),
    JOINTS_0: builder.AddUInt8Attribute(mesh, draco.GENERIC, count, 4, Uint8Array.from(joints)),
    WEIGHTS_0: builder.AddFloatAttributeToMesh(mesh, draco.GENERIC, count, 4, Float32Array.from(weights)),
  };
  const encoder = new draco.Encoder();
  // Quantised positions, normals and coordinates; weights as they are, in the vertex order of the input.
  encoder.SetAttributeQuantization(draco.POSITION, 14);
  encoder.SetAttributeQuantization(draco.NORMAL, 10);
  encoder.SetAttributeQuantization(draco.TEX_COORD, 12);
  encoder.SetEncodingMethod(draco.MESH_SEQUENTIAL_ENCODING);
  const out = new draco.DracoInt8Array();
  const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
  const bytes = Uint8Array.from({length}, (_, i) => out.GetValue(i));
  for (const object of [out, encoder, mesh, builder]) draco.destroy(object);
  return {bytes, ids};
}

/** KHR_draco_mesh_compression with joints and weights; with `fallback` the plain accessors are there too. */
export async function draco(path, fallback) {
  const b = new Builder({scene: 0}).use('KHR_draco_mesh_compression');
  if (!fallback) b.require('KHR_draco_mesh_compression');
  const shape = tube({rings: 10, sides: 12});
  const {joints, weights} = influences(shape.along.length, 3, 1, 1, 9);
  const {bytes, ids} = await dracoBytes(shape, joints[0], weights[0]);
  const on = (values, componentType, type, extra = {}) =>
      fallback ? b.accessor(values, componentType, type, extra) : b.accessorOn({}, values, componentType, type, extra);
  const bones = chain(b, ['lower', 'middle', 'upper']);
  b.json.nodes[bones[1]].rotation = turn([0, 0, 1], 0.5);
  const primitive = {
    attributes: {
      POSITION: on(shape.positions, FLOAT, 'VEC3', {bounds: true}),
      NORMAL: on(shape.normals, FLOAT, 'VEC3'),
      TEXCOORD_0: on(shape.uvs, FLOAT, 'VEC2'),
      JOINTS_0: on(joints[0], U8, 'VEC4'),
      WEIGHTS_0: on(weights[0], FLOAT, 'VEC4'),
    },
    indices: on(shape.indices, U16, 'SCALAR'),
    extensions: {KHR_draco_mesh_compression: {bufferView: b.view(bytes), attributes: ids}},
  };
  const skin = b.add('skins', {joints: bones, inverseBindMatrices: b.accessor(inverseBinds([0, 1, 2]), FLOAT, 'MAT4')});
  const node = b.add('nodes', {mesh: b.add('meshes', {primitives: [primitive]}), skin});
  b.add('scenes', {nodes: [bones[0], node]});
  b.glb(path);
}

/** Three buffers and three pictures: beside the file, with odd names, and inside as data URIs. */
export function external(path) {
  const b = new Builder({scene: 0});
  const shape = tube();
  const attributes = {
    POSITION: b.positions(shape.positions),
    NORMAL: b.accessor(shape.normals, FLOAT, 'VEC3', {buffer: 1}),
    TEXCOORD_0: b.accessor(shape.uvs, FLOAT, 'VEC2', {buffer: 2}),
  };
  write(join(dirname(path), 'pictures/a b.png'), png(4, 11));
  write(join(dirname(path), 'pictures/übung.png'), png(5, 12));
  const images = [
    {uri: 'pictures/a%20b.png', name: 'spaced'}, {uri: encodeURI('pictures/übung.png'), extras: {n: 1}},
    {uri: dataUri(png(6, 13), 'image/png')}, {bufferView: b.view(png(7, 14)), mimeType: 'image/png'},
  ];
  const textures = images.map(image => b.add('textures', {source: b.add('images', image)}));
  const material = b.add('materials', {
    name: 'all', emissiveTexture: {index: textures[2]}, normalTexture: {index: textures[1], scale: 0.5}, occlusionTexture: {index: textures[3], strength: 0.7},
    pbrMetallicRoughness: {baseColorTexture: {index: textures[0]}},
  });
  attributes.TANGENT = b.accessor(shape.along.flatMap(() => [0, 1, 0, 1]), FLOAT, 'VEC4');
  b.add('nodes', {mesh: b.add('meshes', {primitives: [{attributes, indices: b.indices(shape.indices), material}]})});
  b.add('scenes', {nodes: [0]});
  b.gltf(path, {names: {0: 'external 1.bin', 1: 'data/external.bin'}, buffer: i => ({name: `buffer ${i}`})});
}

/** A GLB whose second buffer lies beside it and third inside as a data URI. */
export function mixed(path) {
  const b = new Builder({scene: 0});
  const shape = tube();
  const attributes = {POSITION: b.positions(shape.positions, {buffer: 1}), NORMAL: b.accessor(shape.normals, FLOAT, 'VEC3', {buffer: 2})};
  b.add('nodes', {mesh: b.add('meshes', {primitives: [{attributes, indices: b.indices(shape.indices)}]})});
  b.add('scenes', {nodes: [0]});
  write(join(dirname(path), 'mixed.bin'), b.bufferBytes(1));
  b.glb(path, {place: i => [undefined, {uri: 'mixed.bin'}, {uri: dataUri(b.bufferBytes(2))}][i]});
}

/** A chunk that nobody knows, and JSON with odd white space. */
export function chunks(path) {
  const b = new Builder({scene: 0});
  b.add('nodes', {mesh: b.add('meshes', {primitives: [tubePrimitive(b)]})});
  b.add('scenes', {nodes: [0]});
  b.glb(path, {
    chunks: [[0x4f4c4548, Buffer.from('hello world!')], [0x21212121, Buffer.alloc(8, 7)]],
    text: json => `  \t\n${JSON.stringify(json, null, '\t').replaceAll('\n', '\r\n')}\r\n${' '.repeat(37)}\n\t`,
  });
}

/** Only what a file must have, and files without meshes, scenes or a binary chunk. */
export function minimal(path) { new Builder().gltf(path); }

export function bare(path) {
  const b = new Builder();
  chain(b, ['root', 'child'], {first: {rotation: turn([0, 1, 0], 1)}});
  b.glb(path);
}

export function sceneless(path) {
  const b = new Builder();
  const child = b.add('nodes', {mesh: b.add('meshes', {primitives: [tubePrimitive(b)]}), translation: [1, 2, 3]});
  b.add('nodes', {name: 'parent after child', children: [child], scale: [2, 2, 2]});
  b.glb(path);
}
