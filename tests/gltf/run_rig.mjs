// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_rig.mjs --sinew PROGRAM [--work FOLDER] [--data FOLDER] [--only TEXT]
//
// Rigs made characters, and real ones below --data, with `PROGRAM rig --replace`. Asks of each file written: does Khronos' validator find
// no error that the input has not, is there one skin on all meshes whose weights sum to 1, do meshes and materials stay as many,
// and does nothing name a node that is not there? Prints a table; exit code 1 if any answer is no, or if there was nothing to ask.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {Gltf} from './gltf.mjs';
import {parse, sinew} from './program.mjs';
import {compareValidity} from './validate.mjs';

const MADE = [['human', '--vertices', '2500', '--clothes'], ['quadruped', '--vertices', '2500']];
const REAL = ['CesiumMan.glb', 'RobotExpressive.glb', 'Knight.glb', 'HVGirl.glb', 'Godette_vrm_v4.vrm'];
const VARIANTS = [[], ['--rest', 't', '--preset', 'unity'], ['--preset', 'unreal', '--ends']];

function makeInputs(options, work) {
  const inputs = MADE.map(make => {
    const path = join(work, `${make[0]}.glb`);
    sinew(options.sinew, 'make', ...make, '-o', path, '--force', '--quiet');
    return path;
  });
  for (const name of options.data ? REAL : []) {
    const path = join(options.data, 'rigged', name);
    if (existsSync(path)) inputs.push(path);
  }
  return inputs.filter(path => !options.only || path.includes(options.only));
}

/** Throws if a mesh has no skin, or a vertex no good row. */
function checkRows(file) {
  for (const node of file.json.nodes) {
    if (node.mesh === undefined) continue;
    if (node.skin === undefined) throw new Error(`the mesh node ${node.name} has no skin`);
    for (const {attributes} of file.json.meshes[node.mesh].primitives) {
      const sets = ['WEIGHTS_0', 'WEIGHTS_1'].filter(name => name in attributes).map(name => file.numbers(attributes[name]));
      for (let v = 0; v < sets[0].length; v += 4) {
        const sum = sets.reduce((total, set) => total + set[v] + set[v + 1] + set[v + 2] + set[v + 3], 0);
        if (Math.abs(sum - 1) > 1e-5) throw new Error(`vertex ${v / 4}: weights sum to ${sum}`);
      }
    }
  }
}

/** Throws if a table of VRM names a node that is not there. */
function checkTables({json}) {
  const count = json.nodes.length;
  const check = (number, where) => {
    if (number !== undefined && number !== -1 && !(number >= 0 && number < count)) throw new Error(`${where} names node ${number} of ${count}`);
  };
  const {VRMC_vrm: vrm, VRMC_springBone: springs, VRM: old} = json.extensions ?? {};
  for (const [name, bone] of Object.entries(vrm?.humanoid?.humanBones ?? {})) check(bone.node, name);
  for (const spring of springs?.springs ?? []) spring.joints.forEach(joint => check(joint.node, 'a spring'));
  for (const bone of old?.humanoid?.humanBones ?? []) check(bone.node, bone.bone);
  for (const group of old?.secondaryAnimation?.boneGroups ?? []) group.bones.forEach(node => check(node, 'a spring'));
  for (const group of old?.secondaryAnimation?.colliderGroups ?? []) check(group.node, 'a collider');
}

/** Runs `rig`; a body that no template fits is no failure here. */
function rig(program, ...words) {
  const {status, signal, stdout, stderr} = spawnSync(program, ['rig', ...words], {encoding: 'utf8', timeout: 240000, maxBuffer: 1 << 26});
  if (status !== 0 && status !== 1) throw new Error(`sinew rig ${words.join(' ')}: exit ${signal ?? status}: ${(stderr ?? '').trim()}`);
  return JSON.parse(stdout);
}

async function judge(options, work, input, variant) {
  const output = join(work, `${basename(input)}_rigged.glb`);
  const words = [input, '--replace', '--demo-clip', 'auto', ...variant, '-o', output, '--force', '--json'];
  const {metrics, findings} = rig(options.sinew, ...words);
  const {added} = await compareValidity(output, input);
  if (added.length) throw new Error(added[0]);
  const [before, after] = [await Gltf.open(input), await Gltf.open(output)];
  for (const key of ['materials', 'images', 'textures', 'scenes', 'cameras']) {
    const [x, y] = [before, after].map(({json}) => (json[key] ?? []).length);
    if (x !== y) throw new Error(`${x} ${key} became ${y}`);
  }
  if (after.json.skins.length < 1) throw new Error('there is no skin');
  checkRows(after);
  checkTables(after);
  const clips = (before.json.animations ?? []).length;
  const now = after.json.animations.length;
  rmSync(output, {force: true});
  return [basename(input), variant.join(' ') || 'plain', metrics.template, metrics.skeleton_joints, `${clips} → ${now}`, findings.length];
}

function print(cells) {
  const widths = [24, 24, 12, 8, 10, 9];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

const options = parse(process.argv.slice(2));
const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-rig-'));
mkdirSync(work, {recursive: true});
print(['file', 'options', 'template', 'joints', 'clips', 'findings']);
let asked = 0;
let failures = 0;
for (const path of makeInputs(options, work)) {
  for (const variant of VARIANTS) {
    ++asked;
    try {
      print(await judge(options, work, path, variant));
    } catch (error) {
      ++failures;
      print([basename(path), variant.join(' '), 'NO']);
      console.log(`    ${error.message}`);
    }
  }
}
if (!options.work) rmSync(work, {recursive: true});
console.log(`${asked} files, ${asked - failures} as they should be, ${failures} not`);
process.exit(failures || !asked ? 1 : 0);
