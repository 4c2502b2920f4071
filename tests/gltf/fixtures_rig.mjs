// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Fixtures about what moves: skins, joint sets, poses, morphs, animations.

import {FLOAT, I16, I8, U16, U8, Builder, influences, random, translation, tube, turn} from './builder.mjs';

/** A chain of nodes along +y, one unit apart; returns their indices, the first being the root. */
export function chain(builder, names, {length = 1, first = {}} = {}) {
  const start = (builder.json.nodes ?? []).length;
  names.forEach((name, i) => {
    const node = {name, ...(i === 0 ? first : {translation: [0, length, 0]})};
    if (i + 1 < names.length) node.children = [start + i + 1];
    builder.add('nodes', node);
  });
  return names.map((_, i) => start + i);
}

/** Inverse bind matrices for joints that stood at these heights. */
export const inverseBinds = heights => heights.flatMap(y => translation(0, -y, 0));

/** Attributes of a tube; skinned to `jointCount` joints when it is given. */
export function tubePrimitive(builder, shape = tube(), {jointCount, sets = 1, jointType = U8, weightType = FLOAT, seed = 1, material} = {}) {
  const attributes = {
    POSITION: builder.positions(shape.positions),
    NORMAL: builder.accessor(shape.normals, FLOAT, 'VEC3'),
    TEXCOORD_0: builder.accessor(shape.uvs, FLOAT, 'VEC2'),
  };
  if (jointCount) {
    const total = {[FLOAT]: 1, [U8]: 255, [U16]: 65535}[weightType];
    const {joints, weights} = influences(shape.along.length, jointCount, sets, total, seed);
    for (let n = 0; n < sets; ++n) {
      attributes[`JOINTS_${n}`] = builder.accessor(joints[n], jointType, 'VEC4');
      attributes[`WEIGHTS_${n}`] = builder.accessor(weights[n], weightType, 'VEC4', weightType === FLOAT ? {} : {normalized: true});
    }
  }
  return {attributes, indices: builder.indices(shape.indices), ...(material === undefined ? {} : {material})};
}

/** Two scenes, three skins, meshes that hang rigidly under joints, a bind pose that is not the node pose. */
export function skins(path) {
  const b = new Builder({scene: 1});
  const first = chain(b, ['Hips', 'Spine', 'Head'], {first: {translation: [0.5, 0.2, 0]}});
  b.json.nodes[first[1]].rotation = turn([0, 0, 1], 0.6);
  b.json.nodes[first[2]].scale = [1.2, 0.8, 1];
  const second = chain(b, ['Hips', 'Spine', 'Head'], {first: {translation: [-1, 0, 0], rotation: turn([1, 1, 0], 0.4)}});
  const a = b.add('skins', {name: 'one', joints: first, skeleton: first[0], inverseBindMatrices: b.accessor(inverseBinds([0, 1, 2]), FLOAT, 'MAT4')});
  const c = b.add('skins', {name: 'reversed', joints: [...second].reverse(), inverseBindMatrices: b.accessor(inverseBinds([2, 1, 0]), FLOAT, 'MAT4')});
  const d = b.add('skins', {joints: [first[0], first[2]]});
  const mesh = b.add('meshes', {name: 'tube', primitives: [tubePrimitive(b, tube(), {jointCount: 3})]});
  const wide = b.add('meshes', {name: 'wide', primitives: [tubePrimitive(b, tube({radius: 0.6}), {jointCount: 2, jointType: U16, weightType: U16, seed: 2})]});
  const rigid = b.add('meshes', {name: 'hat', primitives: [tubePrimitive(b, tube({height: 0.4, radius: 0.5}))]});
  const skinned = b.add('nodes', {name: 'body', mesh, skin: a, translation: [9, 9, 9]});
  const other = b.add('nodes', {name: 'body', mesh, skin: c});
  const bare = b.add('nodes', {name: 'no inverse binds', mesh: wide, skin: d});
  b.json.nodes[first[2]].children = [b.add('nodes', {name: 'hat', mesh: rigid, translation: [0, 0.5, 0]})];
  b.json.nodes[second[1]].children.push(b.add('nodes', {name: 'bag', mesh: rigid, scale: [0.5, 0.5, 0.5], rotation: turn([0, 1, 0], 1)}));
  b.add('scenes', {name: 'second only', nodes: [second[0], other]});
  b.add('scenes', {name: 'all', nodes: [first[0], skinned, second[0], other, bare]});
  b.add('scenes', {name: 'empty'});
  b.animation('bend', [
    [first[1], 'rotation', [0, 0.5, 1.25], [...turn([0, 0, 1], 0), ...turn([1, 0, 1], 1), ...turn([0, 1, 0], -2)], 'VEC4'],
    [first[0], 'translation', [0.25, 1], [0, 0, 0, 1, 2, 3], 'VEC3', 'LINEAR'],
    [second[2], 'scale', [0, 1], [1, 1, 1, 2, 1, 0.5], 'VEC3', 'STEP'],
  ]);
  b.glb(path);
}

/** One, two and three sets of joints and weights, in float, 8 and 16 bits. */
export function jointSets(path) {
  const b = new Builder({scene: 0});
  const names = Array.from({length: 13}, (_, i) => `joint ${i}`);
  const joints = chain(b, names, {length: 0.2});
  const skin = b.add('skins', {joints, inverseBindMatrices: b.accessor(inverseBinds(names.map((_, i) => i * 0.2)), FLOAT, 'MAT4')});
  b.json.nodes[joints[4]].rotation = turn([1, 0, 0], 0.7);
  b.json.nodes[joints[8]].rotation = turn([0, 0, 1], -0.7);
  const roots = [joints[0]];
  let seed = 10;
  for (const sets of [1, 2, 3]) {
    for (const [jointType, weightType] of [[U8, FLOAT], [U8, U8], [U16, U16]]) {
      const mesh = b.add('meshes', {primitives: [tubePrimitive(b, tube(), {jointCount: 13, sets, jointType, weightType, seed: seed++})]});
      roots.push(b.add('nodes', {name: `${sets} sets`, mesh, skin}));
    }
  }
  b.add('scenes', {nodes: roots});
  b.glb(path);
}

/** Every interpolation of every path, morph weights included, and rotations and weights in small integers. */
export function interpolations(path) {
  const b = new Builder({scene: 0});
  const next = random(5);
  const shape = tube({rings: 4, sides: 5});
  const primitive = tubePrimitive(b, shape);
  const offsets = () => shape.positions.map(() => next() - 0.5);
  primitive.targets = [0, 1, 2].map(() => ({POSITION: b.positions(offsets()), NORMAL: b.accessor(offsets(), FLOAT, 'VEC3')}));
  const mesh = b.add('meshes', {name: 'face', primitives: [primitive], weights: [0.25, 0, 0.5], extras: {targetNames: ['smile', 'blink', 'frown']}});
  const roots = [];
  const times = [0.5, 1, 1.5, 2.5];
  const quaternions = count => Array.from({length: count}, () => turn([next() - 0.5, next() - 0.5, next() - 0.5], 6 * next())).flat();
  const numbers = count => Array.from({length: count}, () => 2 * next() - 1);
  for (const interpolation of [undefined, 'LINEAR', 'STEP', 'CUBICSPLINE']) {
    const node = b.add('nodes', {name: interpolation ?? 'default', mesh, weights: [0.1, 0.2, 0.3]});
    roots.push(node);
    const keys = times.length * (interpolation === 'CUBICSPLINE' ? 3 : 1);
    // Cubic rotations: tangents are free, the values between them unit length.
    const rotations = quaternions(keys);
    b.animation(interpolation ?? '', [
      [node, 'translation', times, numbers(keys * 3), 'VEC3', interpolation],
      [node, 'rotation', times, rotations, 'VEC4', interpolation],
      [node, 'scale', times, numbers(keys * 3), 'VEC3', interpolation],
      [node, 'weights', times, numbers(keys * 3), 'SCALAR', interpolation],
    ]);
  }
  for (const [type, max] of [[I8, 127], [U8, 255], [I16, 32767], [U16, 65535]]) {
    const node = b.add('nodes', {name: `integers ${type}`, mesh});
    roots.push(node);
    const signed = type === I8 || type === I16;
    const rotations = quaternions(times.length).map(value => Math.round((signed ? value : Math.abs(value)) * max));
    const weights = numbers(times.length * 3).map(value => Math.round((signed ? value : Math.abs(value)) * max));
    b.animation(`integers ${type}`, [
      [node, 'rotation', times, rotations, 'VEC4', 'LINEAR', type],
      [node, 'weights', times, weights, 'SCALAR', 'LINEAR', type],
    ]);
  }
  b.animation('one key', [[roots[0], 'translation', [0], [1, 2, 3], 'VEC3', 'STEP']]);
  b.add('scenes', {nodes: roots});
  b.glb(path);
}

/** Matrices: a mirror, uneven scale above a turn (which shears), a zero scale, and plain matrices. */
export function matrices(path) {
  const b = new Builder({scene: 0});
  const mesh = b.add('meshes', {primitives: [tubePrimitive(b)]});
  const c = Math.SQRT1_2;
  const roots = [
    b.add('nodes', {name: 'matrix', mesh, matrix: [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]}),
    b.add('nodes', {name: 'mirror', mesh, matrix: [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -2, 0, 0, 1]}),
    b.add('nodes', {name: 'negative scale', mesh, scale: [1, -1, 1], translation: [0, 0, 2]}),
    b.add('nodes', {name: 'flat', mesh, scale: [1, 0, 1], translation: [0, 0, -2]}),
    b.add('nodes', {name: 'gone', mesh, scale: [0, 0, 0], children: [b.add('nodes', {name: 'in a point', mesh})]}),
  ];
  const inner = b.add('nodes', {name: 'turned', mesh, rotation: turn([0, 0, 1], Math.PI / 4), children: [b.add('nodes', {name: 'below', mesh, rotation: turn([1, 2, 3], 1)})]});
  roots.push(b.add('nodes', {name: 'uneven', matrix: [3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1], children: [inner]}));
  roots.push(b.add('nodes', {name: 'uneven turn', mesh, matrix: [2 * c, 2 * c, 0, 0, -c, c, 0, 0, 0, 0, 1, 0, 4, 0, 0, 1]}));
  b.add('scenes', {nodes: roots});
  b.glb(path);
}

/** A skin whose joints have sheared matrices. The validator reports the matrix itself (NODE_MATRIX_NON_TRS). */
export function shear(path) {
  const b = new Builder({scene: 0});
  const [root, middle, tip] = chain(b, ['root', 'sheared', 'tip']);
  delete b.json.nodes[middle].translation;
  b.json.nodes[middle].matrix = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0.25, 1, 0, 0, 1, 0, 1];
  b.json.nodes[tip].rotation = turn([0, 1, 1], 0.8);
  const skin = b.add('skins', {joints: [root, middle, tip], inverseBindMatrices: b.accessor(inverseBinds([0, 1, 2]), FLOAT, 'MAT4')});
  const mesh = b.add('meshes', {primitives: [tubePrimitive(b, tube(), {jointCount: 3})]});
  const body = b.add('nodes', {mesh, skin});
  b.animation('turn', [[tip, 'rotation', [0, 1], [...turn([1, 0, 0], 0), ...turn([1, 0, 0], 1.5)], 'VEC4']]);
  b.add('scenes', {nodes: [root, body]});
  b.glb(path);
}

/** Morphs without base values, with tangents, shared deltas, on a skinned mesh; node weights before mesh weights. */
export function morphs(path) {
  const b = new Builder({scene: 0});
  const next = random(8);
  const joints = chain(b, ['a', 'b', 'c']);
  const skin = b.add('skins', {joints, inverseBindMatrices: b.accessor(inverseBinds([0, 1, 2]), FLOAT, 'MAT4')});
  b.json.nodes[joints[1]].rotation = turn([0, 0, 1], 0.9);
  const shape = tube();
  const primitive = tubePrimitive(b, shape, {jointCount: 3});
  primitive.attributes.TANGENT = b.accessor(shape.along.flatMap(() => [0, 1, 0, 1]), FLOAT, 'VEC4');
  const deltas = () => shape.positions.map(() => 0.2 * (next() - 0.5));
  const shared = b.positions(deltas());
  const nothing = b.accessorOn({}, shape.positions.map(() => 0), FLOAT, 'VEC3', {bounds: true});
  primitive.targets = [
    {POSITION: shared, NORMAL: b.accessor(deltas(), FLOAT, 'VEC3'), TANGENT: b.accessor(deltas(), FLOAT, 'VEC3')},
    {POSITION: shared}, {POSITION: nothing}, {NORMAL: b.accessor(deltas(), FLOAT, 'VEC3')},
  ];
  const mesh = b.add('meshes', {primitives: [primitive], weights: [0.5, 0, 1, 0], extras: {targetNames: ['one', 'two', 'none', 'light']}});
  const own = b.add('nodes', {name: 'own weights', mesh, skin, weights: [0.25, 0.75, 0, 1]});
  const plain = b.add('nodes', {name: 'mesh weights', mesh, translation: [2, 0, 0]});
  b.animation('morph', [[plain, 'weights', [0, 2], [0, 0, 0, 0, 1, -1, 2, 0.5], 'SCALAR']]);
  b.add('scenes', {nodes: [joints[0], own, plain]});
  b.glb(path);
}
