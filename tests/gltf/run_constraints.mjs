// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_constraints.mjs --sinew PROGRAM --positions TOOL [--work FOLDER] [--only TEXT]
//
// Does another program move helper joints as Sinew does? Characters with drivers go through PROGRAM, and what it writes is played by
// three.js with three-vrm's constraints: every clip's poses, all vertices, against TOOL (dump_positions), within 1e-6 of the size. The
// helpers' extras are of no use to three-vrm: all it knows is VRMC_node_constraint. Where drivers were baked into clips, three.js alone
// must come within 1e-4. Prints a table; exit code 1 if any vertex is elsewhere, if Khronos' validator finds an error that the input
// has not, or if the constraints move nothing.

import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {VRMNodeConstraintLoaderPlugin} from '@pixiv/three-vrm-node-constraint';
import * as THREE from 'three';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
import {Builder, FLOAT, translation, tube, turn} from './builder.mjs';
import {readDump} from './dump.mjs';
import {chain, tubePrimitive} from './fixtures_rig.mjs';
import {parse, sinew} from './program.mjs';
import {compareValidity} from './validate.mjs';

const TOLERANCE = 1e-6;
const BAKED = 1e-4;
const TWISTS = [0, 0.4, -1.3, 2.6, -3.1];

const product = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
  aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz,
];

/** An arm along +y with turned joints; each clip holds the hand at a twist, with more and more of a bend. */
function makeArm(path) {
  const b = new Builder({scene: 0});
  const joints = chain(b, ['Upper', 'Fore', 'Hand'], {first: {rotation: turn([1, 2, 0.5], 0.7)}});
  b.json.nodes[joints[1]].rotation = turn([0.3, 1, -1], 0.5);
  b.json.nodes[joints[2]].rotation = turn([1, -0.2, 0.4], 0.3);
  const binds = b.accessor([0, 1, 2].flatMap(y => translation(0, -y, 0)), FLOAT, 'MAT4');
  const skin = b.add('skins', {joints, inverseBindMatrices: binds});
  const mesh = b.add('meshes', {name: 'tube', primitives: [tubePrimitive(b, tube(), {jointCount: 3})]});
  b.add('scenes', {nodes: [joints[0], b.add('nodes', {name: 'body', mesh, skin})]});
  TWISTS.forEach((twist, k) => {
    const hand = product(product(b.json.nodes[joints[2]].rotation, turn([1, 0, 0.3], 0.3 * k)), turn([0, 1, 0], twist));
    const fore = product(b.json.nodes[joints[1]].rotation, turn([0.2, 0.1, 1], 0.2 * k));
    b.animation(`twist ${k}`, [
      [joints[2], 'rotation', [0, 1], [...hand, ...hand], 'VEC4'],
      [joints[1], 'rotation', [0, 1], [...fore, ...fore], 'VEC4'],
    ]);
  });
  b.glb(path);
}

/** The same arm with a helper of each kind that a constraint can express; each has a third of the skin. */
function rigged(options, work) {
  const plain = join(work, 'arm.glb'), rig = join(work, 'arm.rig.json'), path = join(work, 'arm_driven.glb');
  makeArm(plain);
  sinew(options.sinew, 'convert', plain, '-o', rig, '--force', '--quiet');
  const json = JSON.parse(readFileSync(rig, 'utf8'));
  const number = name => json.joints.findIndex(joint => joint.name === name);
  const hand = number('Hand'), fore = number('Fore');
  const first = json.joints.length;
  const helper = (name, place, rotation, driver) => ({name, parent: fore, translation: place, rotation, scale: [1, 1, 1], role: 'helper', driver: {source: hand, ...driver}});
  json.joints.push(
      // Its axes are the hand's, so the hand's own +y is the roll's axis.
      helper('Twist', [0, 0.5, 0], json.joints[hand].rotation, {kind: 'twist_share', axis: [0, 1, 0], share: 0.5}),
      helper('Aim', [0.2, 0.4, 0.1], turn([1, 1, 0], 0.4), {kind: 'aim', axis: [0, 0, -1], weight: 0.6}),
      helper('Turn', [0, 0.7, 0.1], turn([0, 1, 1], -0.8), {kind: 'rotation_share', share: 0.3}));
  json.skins[0].joints.push(first, first + 1, first + 2);
  delete json.skins[0].inverse_bind;
  const vertices = Array.from({length: json.meshes[0].vertices}, (_, v) => v);
  json.meshes[0].weights = {vertex: vertices, joint: vertices.map(v => first + (v % 3)), weight: vertices.map(() => 1)};
  writeFileSync(rig, JSON.stringify(json));
  sinew(options.sinew, 'convert', plain, '--rig', rig, '-o', path, '--force', '--quiet');
  return {path, plain, constraints: 3};
}

/** Adds clips to a GLB, each of which holds both hands turned. */
function addTwists(path) {
  const bytes = readFileSync(path);
  const length = bytes.readUInt32LE(12);
  const b = new Builder();
  b.json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  b.append(bytes.subarray(28 + length, 28 + length + bytes.readUInt32LE(20 + length)));
  const hands = b.json.nodes.flatMap((node, i) => (/hand$/i.test(node.name) ? [i] : []));
  for (const twist of TWISTS) {
    b.animation(`hands ${twist}`, hands.map(node => {
      const turned = product(b.json.nodes[node].rotation ?? [0, 0, 0, 1], turn([0.2, 1, 0.3], twist));
      return [node, 'rotation', [0, 1], [...turned, ...turned], 'VEC4'];
    }));
  }
  b.glb(path);
}

/** A made person with twist joints, where the program has a command for them. */
function helped(options, work) {
  if (spawnSync(options.sinew, ['helpers', '--help']).status !== 0) return undefined;
  const plain = join(work, 'human.glb'), path = join(work, 'human_helpers.glb');
  sinew(options.sinew, 'make', 'human', '--vertices', '3000', '-o', plain, '--force', '--quiet');
  addTwists(plain);
  sinew(options.sinew, 'helpers', plain, '--twist', 'forearm', '-o', path, '--force', '--quiet');
  return {path, plain, constraints: 2};
}

async function open(path) {
  const bytes = readFileSync(path);
  const loader = new GLTFLoader();
  loader.register(parser => new VRMNodeConstraintLoaderPlugin(parser));
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
  gltf.userData.vrmNodeConstraintManager?.setInitState();
  return gltf;
}

/** World positions of all vertices of a skinned mesh, with matrices in double precision. */
function positions(mesh) {
  const {position, skinIndex, skinWeight} = mesh.geometry.attributes;
  const matrices = mesh.skeleton.bones.map((bone, i) => new THREE.Matrix4().multiplyMatrices(bone.matrixWorld, mesh.skeleton.boneInverses[i]));
  const out = [];
  const start = new THREE.Vector3(), moved = new THREE.Vector3(), sum = new THREE.Vector3();
  for (let v = 0; v < position.count; ++v) {
    start.fromBufferAttribute(position, v);
    sum.set(0, 0, 0);
    for (let k = 0; k < 4; ++k) {
      const weight = skinWeight.getComponent(v, k);
      if (weight !== 0) sum.addScaledVector(moved.copy(start).applyMatrix4(matrices[skinIndex.getComponent(v, k)]), weight);
    }
    out.push(sum.x, sum.y, sum.z);
  }
  return out;
}

const farthest = (a, b) => a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i])), 0);

/** Puts the scene into a pose of the dump by the tracks of its clip that `keep` takes. */
function pose(gltf, {pose: name}, keep) {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  if (name !== 'rest') {
    const [, clip, time] = name.split(':');
    const {name: title, duration, tracks} = gltf.animations[Number(clip)];
    const action = mixer.clipAction(new THREE.AnimationClip(title, duration, tracks.filter(keep)));
    action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
    action.play();
    mixer.setTime(Number(time));
  }
  gltf.scene.updateMatrixWorld(true);
}

/** How far three.js is from a pose of the dump: with constraints, without them, and with baked channels instead. */
function play(gltf, mesh, block) {
  const manager = gltf.userData.vrmNodeConstraintManager;
  const driven = new Set([...manager.constraints].map(({destination}) => destination.name));
  const isBaked = track => driven.has(track.name.split('.')[0]);
  pose(gltf, block, track => !isBaked(track));
  const without = farthest(positions(mesh), block.positions);
  manager.update();
  gltf.scene.updateMatrixWorld(true);
  const off = farthest(positions(mesh), block.positions);
  const hasBaked = gltf.animations.some(clip => clip.tracks.some(isBaked));
  if (hasBaked) pose(gltf, block, () => true);
  return {off, without, baked: hasBaked && block.pose !== 'rest' ? farthest(positions(mesh), block.positions) : undefined};
}

/** The row of one file; throws what is wrong. */
async function judge(options, {path, plain, constraints}) {
  const {added} = await compareValidity(path, plain);
  if (added.length) throw new Error(added[0]);
  const dump = `${path}.positions`;
  const {status, stderr} = spawnSync(options.positions, [path, dump], {encoding: 'utf8'});
  if (status !== 0) throw new Error(`dump_positions: ${stderr}`);
  const blocks = readDump(dump).filter(({pose}) => pose !== 'bind');
  const size = new THREE.Box3().setFromArray([...blocks[0].positions]).getSize(new THREE.Vector3()).length();
  let worst = 0, moved = 0, baked, count = 0;
  for (const block of blocks) {
    const gltf = await open(path);
    count = gltf.userData.vrmNodeConstraintManager?.constraints.size ?? 0;
    if (count < constraints) throw new Error(`three-vrm sees ${count} constraints, not ${constraints}`);
    const object = await gltf.parser.getDependency('node', block.node);
    const meshes = [];
    object.traverse(child => child.isSkinnedMesh && meshes.push(child));
    const result = play(gltf, meshes[block.primitive], block);
    worst = Math.max(worst, result.off / size);
    moved = Math.max(moved, result.without / size);
    if (result.baked !== undefined) baked = Math.max(baked ?? 0, result.baked / size);
  }
  const row = [basename(path), count, blocks.length, worst.toExponential(1), moved.toExponential(1), baked?.toExponential(1) ?? '-'];
  if (!(worst <= TOLERANCE)) throw new Error(`three-vrm is off by ${worst} of the size`);
  if (baked !== undefined && !(baked <= BAKED)) throw new Error(`what was baked is off by ${baked} of the size`);
  if (!(moved > 1e-3)) throw new Error('the constraints move nothing');
  return row;
}

function print(cells) {
  const widths = [24, 12, 6, 9, 19, 7];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

const options = parse(process.argv.slice(2));
if (!options.positions) throw new Error('--positions TOOL is missing');
const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-constraints-'));
mkdirSync(work, {recursive: true});
print(['file', 'constraints', 'poses', 'error', 'without constraints', 'baked']);
let asked = 0;
let failures = 0;
for (const make of [rigged, helped]) {
  const input = make(options, work);
  if (!input || (options.only && !input.path.includes(options.only))) continue;
  ++asked;
  try {
    print(await judge(options, input));
  } catch (error) {
    ++failures;
    print([basename(input.path), 'NO']);
    console.log(`    ${error.message}`);
  }
}
if (!options.work) rmSync(work, {recursive: true});
console.log(`${asked} files, ${asked - failures} as they should be, ${failures} not`);
process.exit(failures || !asked ? 1 : 0);
