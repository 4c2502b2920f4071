// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_bvh.mjs --sinew PROGRAM [--work FOLDER] [--data FOLDER] [--only TEXT]
//
// Does `PROGRAM convert` read BVH files as three.js does? A small file with channels in several orders, those of --data/motion and those of
// Debian's package assimp-testmodels are converted to glTF, and what is read is also written as BVH again. Every joint of both must be, at
// three times of the clip, where three.js' own reader of BVH puts it, within 1e-3 of the size of the skeleton. Prints a table; exit code 1
// if a joint is missing or farther off, or if there was nothing to ask.

import {existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import * as THREE from 'three';
import {BVHLoader} from 'three/addons/loaders/BVHLoader.js';
import {GLTFLoader} from 'three/addons/loaders/GLTFLoader.js';
import {parse, sinew} from './program.mjs';

const TOLERANCE = 1e-3;
const MODELS = '/usr/share/assimp/models/BVH';
const SMALL = `HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Chest
  {
    OFFSET 0 40 5
    CHANNELS 3 Yrotation Xrotation Zrotation
    JOINT Arm
    {
      OFFSET 20 10 0
      CHANNELS 3 Xrotation Zrotation Yrotation
      End Site
      {
        OFFSET 30 0 0
      }
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.0333333
0 90 0 0 0 0 0 0 0 0 0 0
1 91 5 10 20 30 40 50 60 70 -80 90
2 92 9 -15 100 35 -45 20 10 -170 20 160
3 90 12 5 6 7 8 9 10 11 12 13
`;

function inputs({data, only}, work) {
  const small = join(work, 'small.bvh');
  writeFileSync(small, SMALL);
  const folders = [MODELS, ...(data ? [join(data, 'motion')] : [])].filter(existsSync);
  const found = folders.flatMap(folder => readdirSync(folder).filter(name => /\.bvh$/i.test(name)).sort().map(name => join(folder, name)));
  return [small, ...found].filter(path => !only || path.includes(only));
}

/** Where the joints of a tree are at a time of a clip, by name. */
function placesAt(root, clip, time) {
  const mixer = new THREE.AnimationMixer(root);
  mixer.clipAction(clip).play();
  mixer.setTime(time);
  root.updateMatrixWorld(true);
  const places = new Map();
  root.traverse(node => {
    if (node.name && node.name !== 'ENDSITE') places.set(node.name, new THREE.Vector3().setFromMatrixPosition(node.matrixWorld));
  });
  return places;
}

const plain = name => THREE.PropertyBinding.sanitizeNodeName(name);

/** three.js' own view of a BVH file: its tree, its clip and how long a frame is. */
function openBvh(path) {
  const text = readFileSync(path, 'utf8');
  const {skeleton, clip} = new BVHLoader().parse(text);
  const root = new THREE.Group();
  root.add(skeleton.bones[0]);
  // three.js adds the offset of the root to its positions; in Blender and here, positions replace it.
  const offset = skeleton.bones[0].position.toArray();
  const positions = clip.tracks.find(track => track.name === `${skeleton.bones[0].name}.position`);
  positions.values.forEach((_, i) => { positions.values[i] -= offset[i % 3]; });
  for (const bone of skeleton.bones) if (bone.name !== 'ENDSITE') bone.name = plain(bone.name);
  for (const track of clip.tracks) {
    const dot = track.name.lastIndexOf('.');
    track.name = plain(track.name.slice(0, dot)) + track.name.slice(dot);
  }
  return {root, clip, frame: Number(/Frame Time:\s*(\S+)/i.exec(text)[1]), frames: Number(/Frames:\s*(\d+)/i.exec(text)[1])};
}

async function openGltf(path) {
  const bytes = readFileSync(path);
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
  return {root: gltf.scene, clip: gltf.animations[0]};
}

/** The largest distance between joints of the same name, as a share of the size; every joint of `expected` must be there. */
function worstDistance(actual, expected, times) {
  let worst = 0, moved = 0;
  const first = placesAt(expected.root, expected.clip, times[0]);
  for (const time of times) {
    const theirs = placesAt(expected.root, expected.clip, time), ours = placesAt(actual.root, actual.clip, time);
    const size = new THREE.Box3().setFromPoints([...theirs.values()]).getSize(new THREE.Vector3()).length();
    for (const [name, place] of theirs) {
      if (!ours.has(name)) throw new Error(`the joint ${name} is missing`);
      worst = Math.max(worst, ours.get(name).distanceTo(place) / size);
      moved = Math.max(moved, first.get(name).distanceTo(place) / size);
    }
  }
  if (new Set(times).size > 1 && moved < TOLERANCE) throw new Error('nothing moves');
  return worst;
}

async function main() {
  const options = parse(process.argv.slice(2));
  const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-bvh-'));
  mkdirSync(work, {recursive: true});
  let asked = 0, failed = 0;
  for (const path of inputs(options, work)) {
    const name = basename(path).replace(/\.bvh$/i, '');
    try {
      const expected = openBvh(path);
      const times = [0, Math.floor(expected.frames / 3), Math.floor((2 * expected.frames) / 3)].map(frame => frame * expected.frame);
      const glb = join(work, `${name}.glb`), again = join(work, `${name}_again.bvh`);
      sinew(options.sinew, 'convert', path, '-o', glb, '--force', '--quiet');
      sinew(options.sinew, 'convert', path, '-o', again, '--force', '--quiet');
      const read = worstDistance(await openGltf(glb), expected, times);
      const written = worstDistance(openBvh(again), expected, times);
      const bad = !(read < TOLERANCE && written < TOLERANCE);
      console.log(`${bad ? 'FAIL' : 'ok  '} ${name}: ${expected.frames} frames, read ${read.toExponential(1)}, written again ${written.toExponential(1)}`);
      failed += bad;
    } catch (problem) {
      console.log(`FAIL ${name}: ${problem.message}`);
      ++failed;
    }
    ++asked;
  }
  if (!options.work) rmSync(work, {recursive: true});
  if (!asked) console.log('There was nothing to ask.');
  process.exit(failed || !asked ? 1 : 0);
}

await main();
