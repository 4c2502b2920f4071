// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_three.mjs --sinew PROGRAM [--work FOLDER] [--data FOLDER] [--only TEXT]
//
// Does three.js show what `PROGRAM deform --method pbd` computed? Clips of made characters, and of real ones below --data, are written once
// as glTF and once as a vertex cache. three.js' own loader opens the glTF file and its mixer plays the clip; every vertex of every mesh,
// with the morph targets and the bones applied by three.js, must be at every frame where the cache has it, within the tolerance. Prints a
// table; exit code 1 if a vertex is farther off, if nothing moves or the morph targets are not needed, or if there was nothing to ask.

import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import * as THREE from 'three';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
import {extent, nodeNow, readMdd, runs} from './check_motion.mjs';
import {Evaluator} from './evaluator.mjs';
import {parse, sinew} from './program.mjs';

const MADE = [
  {make: ['human', '--vertices', '4000'], clip: 'wave', frames: '3:20'},
  {make: ['cylinder'], clip: 'exercise', frames: '60:80'},
];
const REAL = ['CesiumMan.glb', 'Fox.glb', 'RobotExpressive.glb'];
const TOLERANCE = 2e-4;

function makeInputs(options, work) {
  const inputs = MADE.map(({make, ...rest}) => {
    const path = join(work, `${make[0]}.glb`);
    sinew(options.sinew, 'make', ...make, '-o', path, '--force', '--quiet');
    return {path, ...rest};
  });
  for (const name of options.data ? REAL : []) {
    const path = join(options.data, 'rigged', name);
    if (existsSync(path)) inputs.push({path, clip: '0', frames: '3:20'});
  }
  return inputs.filter(({path}) => !options.only || path.includes(options.only));
}

/** A file as three.js sees it, but for its pictures: those need a browser, and no vertex. */
async function open(path) {
  const bytes = readFileSync(path);
  const loader = new GLTFLoader();
  loader.register(() => ({name: 'no_pictures', loadTexture: () => Promise.resolve(new THREE.Texture())}));
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
}

/** three.js' meshes for the blocks of the input, each with the place of its first vertex in the cache. */
async function findMeshes(gltf, input) {
  const before = await Evaluator.open(input);
  const {json, associations} = gltf.parser;
  return Promise.all(runs(before).map(async ({node, primitive, first, count, total}) => {
    const now = nodeNow(before.json, json, node);
    const meshes = [];
    (await gltf.parser.getDependency('node', now)).traverse(child => {
      const {meshes: mesh, primitives} = associations.get(child) ?? {};
      if (child.isMesh && mesh === json.nodes[now].mesh && (primitives ?? 0) === primitive) meshes.push(child);
    });
    if (!meshes.length) throw new Error(`three.js has no mesh for primitive ${primitive} of node ${now}`);
    if (meshes[0].geometry.attributes.position.count !== count) throw new Error(`node ${now} has other vertices in three.js`);
    return {mesh: meshes[0], first, count, total};
  }));
}

/** How far the vertices of a mesh are from those of a frame, at most. */
function farthest({mesh, first, count}, frame) {
  const shown = new THREE.Vector3(), truth = new THREE.Vector3();
  let worst = 0;
  for (let v = 0; v < count; ++v) {
    mesh.getVertexPosition(v, shown).applyMatrix4(mesh.matrixWorld);
    const distance = shown.distanceTo(truth.fromArray(frame, 3 * (first + v)));
    if (!(distance <= worst)) worst = Number.isNaN(distance) ? Infinity : distance;
  }
  return worst;
}

/** {worst, without, moved, targets, active}: distances relative to the size, with morph targets, without them, and from the first frame. */
async function play(input, output, cachePath, clipName) {
  const gltf = await open(output);
  const cache = readMdd(cachePath);
  const meshes = await findMeshes(gltf, input);
  if (meshes.at(-1)?.total !== cache.points) throw new Error(`the cache has ${cache.points} points, three.js ${meshes.at(-1)?.total}`);
  const clip = THREE.AnimationClip.findByName(gltf.animations, clipName);
  if (!clip) throw new Error(`three.js finds no clip ${clipName}, but ${gltf.animations.map(({name}) => name)}`);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(clip).setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  const size = extent(cache.frames[0]);
  const result = {worst: 0, without: 0, moved: 0, targets: 0, active: 0, frames: cache.frames.length, vertices: cache.points};
  const raise = (key, value) => (result[key] = Math.max(result[key], value));
  cache.frames.forEach((frame, f) => {
    mixer.setTime(cache.times[f] - cache.times[0]);
    gltf.scene.updateMatrixWorld(true);
    for (const block of meshes) {
      raise('worst', farthest(block, frame) / size);
      raise('moved', farthest(block, cache.frames[0]) / size);
      const influences = block.mesh.morphTargetInfluences;
      if (!influences) continue;
      raise('targets', influences.length);
      raise('active', influences.filter(influence => influence !== 0).length);
      const kept = influences.splice(0, influences.length, ...influences.map(() => 0));
      raise('without', farthest(block, frame) / size);
      influences.splice(0, influences.length, ...kept);
    }
  });
  return result;
}

/** The row of one clip; throws what is wrong. */
async function judge(options, work, {path, clip, frames}) {
  const stem = join(work, `${basename(path)}_three`);
  const words = ['deform', path, '--clip', clip, '--method', 'pbd', '--frames', frames, '--tolerance', String(TOLERANCE), '--caches', 'whole', '--force', '--json', '-o'];
  const {metrics} = JSON.parse(sinew(options.sinew, ...words, `${stem}.glb`));
  sinew(options.sinew, ...words, `${stem}.mdd`);
  const {worst, without, moved, ...counts} = await play(path, `${stem}.glb`, `${stem}.mdd`, `${metrics.motion} ${frames}`);
  if (!(worst <= TOLERANCE)) throw new Error(`three.js is off by ${worst} of the size, ${TOLERANCE} was asked for`);
  if (!(moved > 1e-3)) throw new Error('nothing moves');
  if (!(without > 2 * TOLERANCE)) throw new Error('without its morph targets it is the same');
  for (const ending of ['glb', 'mdd']) rmSync(`${stem}.${ending}`, {force: true});
  return [basename(path), clip, counts.frames, counts.vertices, counts.targets, counts.active, ...[worst, without, moved].map(x => x.toExponential(1))];
}

function print(cells) {
  const widths = [22, 10, 6, 8, 7, 6, 8, 15, 8];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

const options = parse(process.argv.slice(2));
const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-three-'));
mkdirSync(work, {recursive: true});
console.log(`three.js r${THREE.REVISION}`);
print(['file', 'clip', 'frames', 'vertices', 'targets', 'active', 'error', 'without targets', 'moved']);
let asked = 0;
let failures = 0;
for (const input of makeInputs(options, work)) {
  ++asked;
  try {
    print(await judge(options, work, input));
  } catch (error) {
    ++failures;
    print([basename(input.path), input.clip, 'NO']);
    console.log(`    ${error.message}`);
  }
}
if (!options.work) rmSync(work, {recursive: true});
console.log(`${asked} clips, ${asked - failures} as they should be, ${failures} not`);
process.exit(failures || !asked ? 1 : 0);
