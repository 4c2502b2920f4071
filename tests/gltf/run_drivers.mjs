// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_drivers.mjs --sinew PROGRAM --positions TOOL [--godot GODOT] [--work FOLDER] [--only TEXT]
//
// Do the scripts of examples/ move helper joints as Sinew does? Characters with drivers of every kind, and a person with the joints that
// `PROGRAM helpers --no-bake` adds, are posed by three.js with examples/three/sinew_drivers.mjs or, with --godot, by Godot 3 with
// examples/godot; all vertices are compared with TOOL (dump_positions). Nothing is baked, so without the scripts the helpers stand still.
// Prints a table; exit code 1 if a vertex is farther than 1e-4 of the size from where it should be, or if the drivers move nothing.

import {spawn, spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import * as THREE from 'three';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
import {Builder, FLOAT, translation, tube, turn} from './builder.mjs';
import {readDump} from './dump.mjs';
import {chain, tubePrimitive} from './fixtures_rig.mjs';
import {parse, sinew} from './program.mjs';

const TOLERANCE = 1e-4;
const TWISTS = [0.4, -1.3, 2.6, -3.1];
const here = dirname(fileURLToPath(import.meta.url));
const examples = join(here, '..', '..', 'examples');

const product = ([ax, ay, az, aw], [bx, by, bz, bw]) => [
  aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz,
];

/** Adds clips to a document, each of which holds joints in a pose: one twist each, with more and more of a bend. */
function addPoses(b, joints) {
  TWISTS.forEach((twist, k) => {
    b.animation(`pose${k}`, joints.map((node, i) => {
      const rest = b.json.nodes[node].rotation ?? [0, 0, 0, 1];
      const held = i === 0 ? product(product(rest, turn([1, 0, 0.3], 0.3 * k)), turn([0.1, 1, 0.2], twist)) : product(rest, turn([0.2, 0.1, 1], 0.3 * (k + 1)));
      return [node, 'rotation', [0, 1], [...held, ...held], 'VEC4'];
    }));
  });
}

/** An arm with a helper of each kind of driver; each has an equal share of the skin. */
function makeArm(options, work) {
  const b = new Builder({scene: 0});
  const joints = chain(b, ['UpperArm', 'ForeArm', 'Hand'], {first: {rotation: turn([1, 2, 0.5], 0.7)}});
  b.json.nodes[joints[1]].rotation = turn([0.3, 1, -1], 0.5);
  b.json.nodes[joints[2]].rotation = turn([1, -0.2, 0.4], 0.3);
  const binds = b.accessor([0, 1, 2].flatMap(y => translation(0, -y, 0)), FLOAT, 'MAT4');
  const skin = b.add('skins', {joints, inverseBindMatrices: binds});
  const mesh = b.add('meshes', {name: 'tube', primitives: [tubePrimitive(b, tube(), {jointCount: 3})]});
  b.add('scenes', {nodes: [joints[0], b.add('nodes', {name: 'body', mesh, skin})]});
  addPoses(b, [joints[2], joints[1]]);
  const plain = join(work, 'arm.glb'), rig = join(work, 'arm.rig.json'), path = join(work, 'arm_driven.glb');
  b.glb(plain);
  sinew(options.sinew, 'convert', plain, '-o', rig, '--force', '--quiet');
  const json = JSON.parse(readFileSync(rig, 'utf8'));
  const number = name => json.joints.findIndex(joint => joint.name === name);
  const hand = number('Hand'), fore = number('ForeArm'), first = json.joints.length;
  const add = (name, place, rotation, driver, scale = [1, 1, 1]) =>
      json.joints.push({name, parent: fore, translation: place, rotation, scale, role: 'helper', driver: {source: hand, ...driver}});
  add('HandTwist', [0, 0.5, 0], turn([0, 1, 0.4], 0.7), {kind: 'twist_share', axis: [0.2, 1, 0], share: 0.5});
  add('HandShare', [0, 0.7, 0.1], turn([0, 1, 1], -0.8), {kind: 'rotation_share', share: 0.3});
  add('HandTwistAgain', [0, 0.45, 0], turn([0, 1, 0.3], 0.6), {kind: 'twist_share', axis: [0.2, 1, 0], share: 0.4, before: turn([1, 0.5, 0], 0.7)});
  add('HandShareAgain', [0, 0.65, 0.1], turn([0, 1, 2], -0.5), {kind: 'rotation_share', share: 0.6, before: turn([1, 0, 0.4], 0.5)});
  add('HandKeys', [0.1, 0.6, 0], turn([1, 0, 1], 0.3), {kind: 'driven_keys', axis: [0, 1, 0.1], keys: [[-2, 0.4], [0, 0], [1, -0.7], [3, 0.2]], before: turn([0, 1, 0], 0.2)});
  add('HandPoly', [0.1, 0.3, 0.2], turn([1, 2, 3], 0.9), {
    kind: 'polynomial', before: turn([1, 0, 1], 0.25),
    coefficients: [[0.1, 0.05, 0, 0.02], [0, 0, 0.1, 0], [], [0, 0.5, 0.1, 0], [0, 0, 0.5, 0, 0.1, 0.2, 0, 0, 0, 0.1], [0, 0, 0, 0.5], [0.2], [0, 0, 0, 0, 0.05, 0, 0, 0, 0, 0.1], []],
  }, [1, 1.5, 0.8]);
  add('HandAim', [0.2, 0.4, 0.1], turn([1, 1, 0], 0.4), {kind: 'aim', axis: [0, 0, -1], weight: 0.6});
  // Driven by a driven joint.
  json.joints.push({name: 'Second', parent: fore, translation: [0, 0.2, 0], rotation: [0, 0, 0, 1], scale: [1, 1, 1], role: 'helper', driver: {source: first, kind: 'rotation_share', share: -0.5}});
  const helpers = json.joints.length - first;
  for (let k = 0; k < helpers; ++k) json.skins[0].joints.push(first + k);
  delete json.skins[0].inverse_bind;
  const vertices = Array.from({length: json.meshes[0].vertices}, (_, v) => v);
  json.meshes[0].weights = {vertex: vertices, joint: vertices.map(v => first + (v % helpers)), weight: vertices.map(() => 1)};
  writeFileSync(rig, JSON.stringify(json));
  sinew(options.sinew, 'convert', plain, '--rig', rig, '-o', path, '--force', '--quiet');
  return {path, drivers: helpers};
}

/** A made person with twist and bend joints. */
function makePerson(options, work) {
  const plain = join(work, 'human.glb'), path = join(work, 'human_helpers.glb');
  sinew(options.sinew, 'make', 'human', '--vertices', '3000', '-o', plain, '--force', '--quiet');
  const bytes = readFileSync(plain), length = bytes.readUInt32LE(12);
  const b = new Builder();
  b.json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  b.append(bytes.subarray(28 + length, 28 + length + bytes.readUInt32LE(20 + length)));
  b.json.animations = [];
  const joint = name => b.json.nodes.findIndex(node => node.name === name);
  addPoses(b, ['LeftHand', 'LeftForearm', 'RightUpperArm', 'RightForearm'].map(joint));
  b.glb(plain);
  sinew(options.sinew, 'helpers', plain, '--twist', 'forearm,upperarm', '--bend', 'elbow', '--per-bone', '2', '--no-bake', '-o', path, '--force', '--quiet');
  return {path, drivers: 10};
}

async function open(path) {
  const bytes = readFileSync(path);
  return new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

/** Positions of all vertices of a skinned mesh for matrices of its bones. */
function positions(mesh, matrixOf) {
  const {position, skinIndex, skinWeight} = mesh.geometry.attributes;
  const matrices = mesh.skeleton.bones.map((bone, i) => new THREE.Matrix4().multiplyMatrices(matrixOf(bone), mesh.skeleton.boneInverses[i]));
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

/** The mesh of a block of the dump. */
async function meshOf(gltf, block) {
  const meshes = [];
  (await gltf.parser.getDependency('node', block.node)).traverse(child => child.isSkinnedMesh && meshes.push(child));
  return meshes[block.primitive];
}

/** {clip, time} of a pose of the dump; the clip is a number, or undefined at rest. */
function poseOf({pose}) {
  if (pose === 'rest') return {time: 0};
  const [, clip, time] = pose.split(':');
  return {clip: Number(clip), time: Number(time)};
}

/** Distances from the dump's blocks, with the drivers and without, by three.js. */
async function playInThree({path, drivers}, blocks, work) {
  // The module finds three.js beside this test.
  const copy = join(work, 'sinew_drivers.mjs');
  const text = readFileSync(join(examples, 'three', 'sinew_drivers.mjs'), 'utf8');
  writeFileSync(copy, text.replace("from 'three'", `from '${pathToFileURL(join(here, 'node_modules', 'three', 'build', 'three.module.js'))}'`));
  const {SinewDrivers} = await import(pathToFileURL(copy));
  const result = [];
  for (const block of blocks) {
    const gltf = await open(path);
    const module = new SinewDrivers(gltf);
    if (module.drivers.length !== drivers || module.skipped.length) throw new Error(`${module.drivers.length} drivers were found, not ${drivers}; skipped: ${module.skipped}`);
    const mesh = await meshOf(gltf, block);
    const {clip, time} = poseOf(block);
    if (clip !== undefined) {
      const mixer = new THREE.AnimationMixer(gltf.scene);
      mixer.clipAction(gltf.animations[clip]).play();
      mixer.setTime(Math.min(time, 0.999));
    }
    const shown = () => {
      gltf.scene.updateMatrixWorld(true);
      return farthest(positions(mesh, bone => bone.matrixWorld), block.positions);
    };
    const without = shown();
    module.update();
    result.push({without, off: shown()});
  }
  return result;
}

const plainName = name => name.toLowerCase().replace(/[ _:./-]/g, '').replace(/(^|\D)0+(?=\d)/g, '$1');

/** Waits until Godot's editor has imported a file. The editor does not quit by itself without a display. */
async function importInGodot(godot, project) {
  const editor = spawn(godot, ['--path', project, '--editor', '--quit'], {stdio: 'ignore', env: {...process.env, HOME: project}});
  const gone = new Promise(done => editor.on('close', done));
  const imported = () => existsSync(join(project, '.import')) && readdirSync(join(project, '.import')).some(name => name.endsWith('.md5'));
  for (let i = 0; i < 300 && !imported(); ++i) await new Promise(done => setTimeout(done, 100));
  editor.kill('SIGKILL');
  await gone;
  if (!imported()) throw new Error('Godot imported nothing');
}

/** The same by Godot 3: its importer, its animation player and examples/godot. */
async function playInGodot(godot, {path, drivers}, blocks, work) {
  const project = join(work, `godot_${basename(path, '.glb')}`);
  rmSync(project, {recursive: true, force: true});
  mkdirSync(project, {recursive: true});
  for (const script of ['sinew_drivers.gd', 'sinew_import.gd']) copyFileSync(join(examples, 'godot', script), join(project, script));
  copyFileSync(join(here, 'godot_play.gd'), join(project, 'godot_play.gd'));
  copyFileSync(path, join(project, 'character.glb'));
  writeFileSync(join(project, 'project.godot'), 'config_version=4\n\n[application]\n\nconfig/name="drivers"\n');
  writeFileSync(join(project, 'character.glb.import'), '[remap]\n\nimporter="scene"\ntype="PackedScene"\n\n[params]\n\nnodes/custom_script="res://sinew_import.gd"\n');
  const gltf = await open(path);
  const poses = blocks.map(poseOf).map(({clip, time}) => ({clip: clip === undefined ? '' : gltf.animations[clip].name, time}));
  writeFileSync(join(project, 'poses.json'), JSON.stringify({file: 'character.glb', poses}));
  await importInGodot(godot, project);
  const {stdout, stderr} = spawnSync(godot, ['--path', project, '--script', 'godot_play.gd'], {encoding: 'utf8', timeout: 30000, env: {...process.env, HOME: project}});
  if (!existsSync(join(project, 'bones.json'))) throw new Error(`Godot wrote no bones: ${stdout}${stderr}`);
  const answers = JSON.parse(readFileSync(join(project, 'bones.json'), 'utf8'));
  const result = [];
  for (const [i, block] of blocks.entries()) {
    if (answers[i].drivers !== drivers) throw new Error(`Godot found ${answers[i].drivers} drivers, not ${drivers}`);
    const mesh = await meshOf(gltf, block);
    const shown = bones => {
      const named = new Map(Object.entries(bones).map(([name, numbers]) => [plainName(name), numbers]));
      return farthest(positions(mesh, ({userData, name}) => {
        const n = named.get(plainName(userData.name ?? name));
        if (!n) throw new Error(`Godot has no bone for ${userData.name ?? name}`);
        return new THREE.Matrix4().set(n[0], n[3], n[6], n[9], n[1], n[4], n[7], n[10], n[2], n[5], n[8], n[11], 0, 0, 0, 1);
      }), block.positions);
    };
    result.push({without: shown(answers[i].without), off: shown(answers[i].with)});
  }
  return result;
}

function print(cells) {
  const widths = [22, 8, 8, 6, 9, 15];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

const argv = process.argv.slice(2);
const at = argv.indexOf('--godot');
const godot = at < 0 ? undefined : argv.splice(at, 2)[1];
const options = parse(argv);
if (!options.positions) throw new Error('--positions TOOL is missing');
const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-drivers-'));
mkdirSync(work, {recursive: true});
print(['file', 'in', 'drivers', 'poses', 'error', 'without drivers']);
let asked = 0, failures = 0;
for (const make of [makeArm, makePerson]) {
  const input = make(options, work);
  if (options.only && !input.path.includes(options.only)) continue;
  ++asked;
  try {
    const dump = `${input.path}.positions`;
    const {status, stderr} = spawnSync(options.positions, [input.path, dump], {encoding: 'utf8'});
    if (status !== 0) throw new Error(`dump_positions: ${stderr}`);
    const blocks = readDump(dump).filter(({pose}) => pose !== 'bind');
    const size = new THREE.Box3().setFromArray([...blocks[0].positions]).getSize(new THREE.Vector3()).length();
    const found = godot ? await playInGodot(godot, input, blocks, work) : await playInThree(input, blocks, work);
    const off = Math.max(...found.map(block => block.off)) / size, without = Math.max(...found.map(block => block.without)) / size;
    print([basename(input.path), godot ? 'Godot' : 'three.js', input.drivers, blocks.length, off.toExponential(1), without.toExponential(1)]);
    if (!(off <= TOLERANCE)) throw new Error(`a vertex is off by ${off} of the size`);
    if (!(without > 1e-2)) throw new Error('the drivers move nothing');
  } catch (error) {
    ++failures;
    console.log(`    ${basename(input.path)}: ${error.message}`);
  }
}
if (!options.work) rmSync(work, {recursive: true});
console.log(`${asked} files, ${asked - failures} as they should be, ${failures} not`);
process.exit(failures || !asked ? 1 : 0);
