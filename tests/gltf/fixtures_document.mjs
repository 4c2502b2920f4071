// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Fixtures about the document: primitives, materials, cameras, names, extras, extensions known and unknown, VRM.

import {FLOAT, U16, U32, U8, Builder, png, tube, turn} from './builder.mjs';
import {chain, inverseBinds, tubePrimitive} from './fixtures_rig.mjs';

/** All modes of primitives, with indices of all types and without. */
export function modes(path) {
  const b = new Builder({scene: 0});
  const shape = tube({rings: 3, sides: 6});
  const attributes = {POSITION: b.positions(shape.positions)};
  const all = shape.along.map((_, i) => i);
  const strip = [0, 1, 7, 8, 14, 15];
  const primitives = [
    {attributes, mode: 0}, {attributes, mode: 0, indices: b.indices([3, 1, 2], U8)},
    {attributes, mode: 1, indices: b.indices([0, 1, 1, 2, 2, 3], U8)}, {attributes, mode: 2, indices: b.indices([0, 1, 2, 3, 4, 5], U16)},
    {attributes, mode: 3, indices: b.indices(all, U32)}, {attributes, mode: 4, indices: b.indices(shape.indices, U32)},
    {attributes, indices: b.indices(shape.indices, U8)}, {attributes, mode: 5, indices: b.indices(strip, U16)}, {attributes, mode: 5},
    {attributes, mode: 6, indices: b.indices([0, 8, 9, 10, 11], U8)}, {attributes, mode: 6}, {attributes},
  ];
  b.add('nodes', {mesh: b.add('meshes', {primitives})});
  b.add('scenes', {nodes: [0]});
  b.glb(path);
}

/** FB_ngon_encoding: a box of quads with a five-cornered and a six-cornered lid, each polygon a fan of its own first vertex. */
export function ngons(path) {
  const b = new Builder({scene: 0}).use('FB_ngon_encoding');
  const ring = (count, y, radius) => Array.from({length: count}, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [radius * Math.cos(angle), y, radius * Math.sin(angle)];
  });
  const prism = sides => {
    const positions = [...ring(sides, 0, 1), ...ring(sides, 1, 1)];
    const indices = [];
    // Two polygons that follow each other must not begin with the same vertex.
    const polygon = corners => {
      const last = indices[indices.length - 3];
      const turned = corners[0] === last ? [...corners.slice(1), corners[0]] : corners;
      for (let k = 1; k + 1 < turned.length; ++k) indices.push(turned[0], turned[k], turned[k + 1]);
    };
    for (let i = 0; i < sides; ++i) polygon([i, i + sides, ((i + 1) % sides) + sides, (i + 1) % sides]);
    polygon(Array.from({length: sides}, (_, i) => i));
    polygon(Array.from({length: sides}, (_, i) => 2 * sides - 1 - i));
    return {attributes: {POSITION: b.positions(positions.flat())}, indices: b.indices(indices), extensions: {FB_ngon_encoding: {}}};
  };
  b.add('nodes', {mesh: b.add('meshes', {primitives: [prism(4), prism(5), prism(6)]})});
  b.add('scenes', {nodes: [0]});
  b.glb(path);
}

/** One mesh on two nodes, accessors that several primitives share, the same name many times, names in many scripts. */
export function shared(path) {
  const b = new Builder({scene: 0});
  const joints = chain(b, ['骨', 'кость', 'عظم']);
  const skin = b.add('skins', {name: '皮', joints, inverseBindMatrices: b.accessor(inverseBinds([0, 1, 2]), FLOAT, 'MAT4')});
  b.json.nodes[joints[2]].rotation = turn([1, 0, 0], 1);
  const materials = ['same', 'same', '', '😀 "quoted" \\ / \u0001'].map((name, i) => b.add('materials', {name, pbrMetallicRoughness: {metallicFactor: i / 4}}));
  const shape = tube();
  const whole = tubePrimitive(b, shape, {jointCount: 3, material: materials[0]});
  const half = shape.indices.length / 2;
  const bufferView = b.json.accessors[whole.indices].bufferView;
  const upper = b.add('accessors', {bufferView, byteOffset: half * 2, componentType: U16, count: half, type: 'SCALAR'});
  const mesh = b.add('meshes', {name: 'same', primitives: [{...whole, material: materials[1]}, {attributes: whole.attributes, indices: upper, material: materials[2]}]});
  const plain = b.add('meshes', {name: 'same', primitives: [{attributes: {POSITION: whole.attributes.POSITION}, indices: whole.indices, material: materials[3]}]});
  const roots = [
    joints[0], b.add('nodes', {name: 'same', mesh, skin}), b.add('nodes', {name: 'same', mesh, skin}),
    b.add('nodes', {name: 'same', mesh: plain, translation: [2, 0, 0]}), b.add('nodes', {mesh: plain, translation: [4, 0, 0]}),
    b.add('nodes', {name: 'e\u0301 is not \u00e9'}),
  ];
  b.add('scenes', {nodes: roots});
  b.glb(path);
}

const extras = value => ({extras: {number: value, text: 'ü', nested: {list: [1, 2.5, null, true, {}], empty: []}, tiny: 1e-300, big: 1234567890123}});

/** Cameras, lights, material extensions, samplers, extras on everything, an extension that nobody knows. */
export function extensions(path) {
  const b = new Builder({scene: 0, ...extras(1)});
  b.json.asset = {...b.json.asset, copyright: '© nobody', minVersion: '2.0', ...extras(2)};
  b.use('KHR_lights_punctual', 'KHR_texture_transform', 'KHR_materials_unlit', 'KHR_materials_clearcoat', 'KHR_materials_emissive_strength',
      'KHR_materials_ior', 'KHR_materials_sheen', 'KHR_materials_specular', 'KHR_materials_transmission', 'KHR_materials_volume', 'KHR_materials_variants', 'SINEW_unknown');
  const secret = b.view(Uint8Array.from({length: 23}, (_, i) => i * 11), {name: 'secret', ...extras(3)});
  b.json.extensions = {
    KHR_lights_punctual: {lights: [
      {type: 'directional', name: 'sun', color: [1, 0.5, 0.25], intensity: 3}, {type: 'point', range: 4, ...extras(4)},
      {type: 'spot', spot: {innerConeAngle: 0.1, outerConeAngle: 0.7}},
    ]},
    KHR_materials_variants: {variants: [{name: 'red'}, {name: 'blue'}]},
    SINEW_unknown: {bufferView: secret, deep: {table: [[1, [2, [3]]], {'key with / and ~': null}], bufferView: secret}, precise: 0.1, negative: -0, zero: 0},
  };
  const sampler = b.add('samplers', {name: 'pixels', magFilter: 9728, minFilter: 9984, wrapS: 33071, wrapT: 33648, ...extras(5)});
  b.add('samplers', {});
  const source = b.add('images', {name: 'noise', bufferView: b.view(png(8, 21)), mimeType: 'image/png', ...extras(6)});
  const texture = b.add('textures', {name: 'noise', sampler, source, ...extras(7)});
  b.add('textures', {source});
  const transform = {extensions: {KHR_texture_transform: {offset: [0.5, 0], rotation: 1, scale: [2, -1], texCoord: 0}}};
  const materials = [
    b.add('materials', {
      name: 'coated', doubleSided: true, alphaMode: 'MASK', alphaCutoff: 0.25, emissiveFactor: [1, 0.5, 0], ...extras(8),
      pbrMetallicRoughness: {baseColorFactor: [0.1, 0.2, 0.3, 0.4], metallicFactor: 0.5, roughnessFactor: 0.25, baseColorTexture: {index: texture, ...transform, ...extras(9)}},
      extensions: {
        KHR_materials_clearcoat: {clearcoatFactor: 0.5, clearcoatTexture: {index: texture}}, KHR_materials_emissive_strength: {emissiveStrength: 4}, KHR_materials_ior: {ior: 1.4},
        KHR_materials_sheen: {sheenColorFactor: [0.5, 0, 0]}, KHR_materials_specular: {specularFactor: 0.5}, KHR_materials_transmission: {transmissionFactor: 0.3},
        KHR_materials_volume: {thicknessFactor: 1, attenuationDistance: 2}, SINEW_unknown: {texture: {index: 0}},
      },
    }),
    b.add('materials', {name: 'flat', alphaMode: 'BLEND', extensions: {KHR_materials_unlit: {}}}),
  ];
  const primitive = {...tubePrimitive(b, tube(), {material: materials[0]}), ...extras(10)};
  primitive.extensions = {KHR_materials_variants: {mappings: [{material: materials[0], variants: [0]}, {material: materials[1], variants: [1]}]}, SINEW_unknown: {list: [1, 2, 3]}};
  Object.assign(b.json.accessors[primitive.attributes.POSITION], {name: 'places', ...extras(11), extensions: {SINEW_unknown: {on: 'accessor'}}});
  const mesh = b.add('meshes', {name: 'tube', primitives: [primitive], ...extras(12), extensions: {SINEW_unknown: {on: 'mesh'}}});
  const cameras = [
    b.add('cameras', {name: 'lens', type: 'perspective', perspective: {yfov: 0.7, znear: 0.1, zfar: 100, aspectRatio: 1.5, ...extras(13)}, ...extras(14)}),
    b.add('cameras', {type: 'perspective', perspective: {yfov: 0.5, znear: 0.01}}),
    b.add('cameras', {type: 'orthographic', orthographic: {xmag: 2, ymag: 1, znear: 0, zfar: 10}}),
  ];
  const nodes = [
    ...cameras.map((camera, i) => b.add('nodes', {name: `camera ${i}`, camera, translation: [0, i, 5]})),
    ...[0, 1, 2].map(light => b.add('nodes', {name: `light ${light}`, extensions: {KHR_lights_punctual: {light}}})),
    b.add('nodes', {name: 'tube', mesh, ...extras(15), extensions: {SINEW_unknown: {on: 'node', bufferView: secret}}}),
  ];
  b.add('scenes', {name: 'scene', nodes, ...extras(16), extensions: {SINEW_unknown: {on: 'scene'}}});
  const animation = b.animation('spin', [[nodes[6], 'rotation', [0, 1], [...turn([0, 1, 0], 0), ...turn([0, 1, 0], 2)], 'VEC4']]);
  Object.assign(b.json.animations[animation], extras(17));
  Object.assign(b.json.animations[animation].channels[0], extras(18));
  Object.assign(b.json.animations[animation].channels[0].target, extras(19));
  Object.assign(b.json.animations[animation].samplers[0], extras(20));
  b.glb(path, {place: () => extras(21)});
}

const BONES = ['hips', 'spine', 'head', 'leftUpperArm', 'leftLowerArm', 'leftHand', 'rightUpperArm', 'rightLowerArm', 'rightHand',
  'leftUpperLeg', 'leftLowerLeg', 'leftFoot', 'rightUpperLeg', 'rightLowerLeg', 'rightFoot'];

/** A small humanoid with a face morph, for the VRM fixtures. */
function humanoid(b) {
  const place = {hips: [null, [0, 1, 0]], spine: ['hips', [0, 0.2, 0]], head: ['spine', [0, 0.4, 0]]};
  for (const [side, x] of [['left', 1], ['right', -1]]) {
    place[`${side}UpperArm`] = ['spine', [0.2 * x, 0.3, 0]];
    place[`${side}LowerArm`] = [`${side}UpperArm`, [0.25 * x, 0, 0]];
    place[`${side}Hand`] = [`${side}LowerArm`, [0.25 * x, 0, 0]];
    place[`${side}UpperLeg`] = ['hips', [0.1 * x, 0, 0]];
    place[`${side}LowerLeg`] = [`${side}UpperLeg`, [0, -0.45, 0]];
    place[`${side}Foot`] = [`${side}LowerLeg`, [0, -0.45, 0]];
  }
  const heights = {};
  for (const name of BONES) {
    const [parent, offset] = place[name];
    heights[name] = offset.map((value, i) => value + (parent ? heights[parent][i] : 0));
    b.add('nodes', {name: `J_${name}`, translation: offset});
    if (parent) (b.json.nodes[BONES.indexOf(parent)].children ??= []).push(BONES.indexOf(name));
  }
  const binds = BONES.flatMap(name => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...heights[name].map(value => -value), 1]);
  const skin = b.add('skins', {joints: BONES.map((_, i) => i), inverseBindMatrices: b.accessor(binds, FLOAT, 'MAT4')});
  const shape = tube({height: 1.6});
  const texture = b.add('textures', {source: b.add('images', {name: 'skin', bufferView: b.view(png(4, 31)), mimeType: 'image/png'})});
  const material = b.add('materials', {name: 'Body', pbrMetallicRoughness: {baseColorTexture: {index: texture}}});
  const primitive = tubePrimitive(b, shape, {jointCount: BONES.length, sets: 1, material});
  primitive.targets = [{POSITION: b.positions(shape.positions.map((_, i) => (i % 3 === 0 ? 0.01 : 0)))}];
  const mesh = b.add('meshes', {name: 'Body', primitives: [primitive], extras: {targetNames: ['A']}});
  const node = b.add('nodes', {name: 'Body', mesh, skin});
  b.add('scenes', {nodes: [0, node]});
  return {mesh, node, texture};
}

export function vrm0(path) {
  const b = new Builder({scene: 0}).use('VRM');
  const {mesh, texture} = humanoid(b);
  b.json.extensions = {VRM: {
    exporterVersion: 'fixtures', specVersion: '0.0', meta: {title: 'Nobody', version: '1', author: 'ゼロ', texture, allowedUserName: 'Everyone', licenseName: 'CC0'},
    humanoid: {humanBones: BONES.map((bone, node) => ({bone, node, useDefaultValues: true})), armStretch: 0.05, hasTranslationDoF: false},
    firstPerson: {firstPersonBone: 2, firstPersonBoneOffset: {x: 0, y: 0.06, z: 0}, meshAnnotations: [{mesh, firstPersonFlag: 'Auto'}], lookAtTypeName: 'Bone'},
    blendShapeMaster: {blendShapeGroups: [{name: 'A', presetName: 'a', binds: [{mesh, index: 0, weight: 100}], materialValues: [], isBinary: false}]},
    secondaryAnimation: {boneGroups: [{comment: '', stiffiness: 0.7, gravityPower: 0, gravityDir: {x: 0, y: -1, z: 0}, center: -1, bones: [2], colliderGroups: [0]}],
      colliderGroups: [{node: 1, colliders: [{offset: {x: 0, y: 0.1, z: 0}, radius: 0.1}]}]},
    materialProperties: [{name: 'Body', shader: 'VRM/MToon', renderQueue: 2000, floatProperties: {_Cutoff: 0.5}, vectorProperties: {_Color: [1, 1, 1, 1]},
      textureProperties: {_MainTex: texture}, keywordMap: {}, tagMap: {RenderType: 'Opaque'}}],
  }};
  b.glb(path);
}

export function vrm1(path) {
  const b = new Builder({scene: 0}).use('VRMC_vrm', 'VRMC_springBone', 'VRMC_materials_mtoon', 'VRMC_node_constraint');
  const {node} = humanoid(b);
  b.json.materials[0].extensions = {VRMC_materials_mtoon: {specVersion: '1.0', shadeColorFactor: [0.5, 0.4, 0.4], shadingToonyFactor: 0.9}};
  b.json.nodes[5].extensions = {VRMC_node_constraint: {specVersion: '1.0', constraint: {roll: {source: 4, rollAxis: 'X', weight: 0.5}}}};
  b.json.extensions = {
    VRMC_vrm: {
      specVersion: '1.0', meta: {name: '誰でもない', authors: ['a', 'b'], licenseUrl: 'https://vrm.dev/licenses/1.0/', thumbnailImage: 0},
      humanoid: {humanBones: Object.fromEntries(BONES.map((bone, index) => [bone, {node: index}]))},
      expressions: {preset: {aa: {morphTargetBinds: [{node, index: 0, weight: 1}], overrideBlink: 'none'}}, custom: {mine: {isBinary: true}}},
      lookAt: {type: 'bone', offsetFromHeadBone: [0, 0.06, 0]}, firstPerson: {meshAnnotations: [{node, type: 'auto'}]},
    },
    VRMC_springBone: {specVersion: '1.0', colliders: [{node: 1, shape: {sphere: {offset: [0, 0, 0], radius: 0.1}}}], springs: [{joints: [{node: 2, hitRadius: 0.02}, {node: 5}]}]},
  };
  b.glb(path);
}
