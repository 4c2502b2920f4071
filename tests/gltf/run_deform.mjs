// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_deform.mjs --sinew PROGRAM [--work FOLDER] [--data FOLDER] [--only TEXT]
//
// Plays clips of made characters, and of real ones below --data, with `PROGRAM deform`: once as glTF and once as a vertex cache. Asks of
// each glTF file: does an independent evaluation put every vertex at every frame where the cache has it, within the tolerance, with at
// most two morph weights at work for whole key shapes (check_motion.mjs), and does Khronos' validator find no error that the input has not? Prints a table;
// exit code 1 if any answer is no, or if there was nothing to ask.

import {existsSync, mkdirSync, mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {checkMotion} from './check_motion.mjs';
import {Gltf} from './gltf.mjs';
import {parse, sinew} from './program.mjs';
import {compareValidity} from './validate.mjs';

const MADE = [
  {make: ['human', '--vertices', '4000'], clips: ['wave', 'builtin:walk']},
  {make: ['cylinder'], clips: ['exercise']},
];
const REAL = ['CesiumMan.glb', 'Fox.glb', 'HVGirl.glb', 'RobotExpressive.glb'];
// Skinning in float against skinning in double; key shapes within what was asked for. What is slow to set up plays the first clip only.
const RUNS = [
  {flags: ['--method', 'lbs'], tolerance: 1e-5},
  {flags: ['--method', 'dqs', '--tolerance', '0.002'], tolerance: 2e-3, morphs: true},
  {flags: ['--shapes', 'whole', '--method', 'dqs', '--tolerance', '0.002', '--max-targets', '500'], tolerance: 2e-3, morphs: true, most: 2},
  {flags: ['--method', 'pbd', '--frames', '3:8', '--tolerance', '0.0002'], tolerance: 2e-4, morphs: true, first: true},
  {flags: ['--method', 'lbs', '--delta-mush', '--frames', '3:20', '--tolerance', '0.0001'], tolerance: 1e-4, morphs: true},
];

function makeInputs(options, work) {
  const inputs = MADE.map(({make, clips}) => {
    const path = join(work, `${make[0]}.glb`);
    sinew(options.sinew, 'make', ...make, '-o', path, '--force', '--quiet');
    return {path, clips};
  });
  for (const name of options.data ? REAL : []) {
    const path = join(options.data, 'rigged', name);
    if (existsSync(path)) inputs.push({path, clips: ['0']});
  }
  return inputs.filter(({path}) => !options.only || path.includes(options.only));
}

/** The row of one run; throws what is wrong. */
async function judge(options, work, input, clip, {flags, tolerance, morphs, most = 128}) {
  const stem = join(work, `${basename(input)}_${[clip, ...flags].join('').replace(/[^a-z0-9]/gi, '_')}`);
  const words = ['deform', input, '--clip', clip, ...flags, '--caches', 'whole', '--force', '--json', '-o'];
  const {metrics} = JSON.parse(sinew(options.sinew, ...words, `${stem}.glb`));
  sinew(options.sinew, ...words, `${stem}.mdd`);
  const {added} = await compareValidity(`${stem}.glb`, input);
  if (added.length) throw new Error(added[0]);
  const written = (await Gltf.open(`${stem}.glb`)).json.animations ?? [];
  const wanted = flags.includes('--frames') ? `${metrics.motion} 3:20` : metrics.motion;
  const name = written.length > 1 || morphs ? written.find(animation => animation.name === wanted)?.name : undefined;
  const {worst, active, targets, frames} = await checkMotion(input, `${stem}.glb`, `${stem}.mdd`, name);
  const row = [basename(input), clip, flags.slice(0, 4).join(' '), frames, targets, active, worst.toExponential(1), statSync(`${stem}.glb`).size];
  if (worst > tolerance) throw new Error(`off by ${worst} of the size, ${tolerance} was asked for`);
  if (active > most) throw new Error(`${active} morph weights at once`);
  // Other sizes: of the mesh at rest there, of the first frame here.
  if (Math.abs(metrics.error_rel - worst) > 0.5 * worst + 1e-6) throw new Error(`the report says ${metrics.error_rel}, it is ${worst}`);
  if (morphs && !targets && metrics.targets) throw new Error('the key shapes are not there');
  for (const ending of ['glb', 'mdd']) rmSync(`${stem}.${ending}`, {force: true});
  return row;
}

function print(cells) {
  const widths = [22, 14, 36, 6, 7, 6, 8, 9];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

const options = parse(process.argv.slice(2));
const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-deform-'));
mkdirSync(work, {recursive: true});
// The second run of a pair reads what the first has prepared: half of the time, and the cache must not change a vertex.
const cache = join(work, 'cache');
rmSync(cache, {recursive: true, force: true});
process.env.SINEW_CACHE = cache;
print(['file', 'clip', 'options', 'frames', 'targets', 'active', 'error', 'bytes']);
let asked = 0;
let failures = 0;
for (const {path, clips} of makeInputs(options, work)) {
  for (const clip of clips) {
    for (const run of RUNS) {
      if (run.first && clip !== clips[0]) continue;
      ++asked;
      try {
        print(await judge(options, work, path, clip, run));
      } catch (error) {
        ++failures;
        print([basename(path), clip, run.flags.join(' '), 'NO']);
        console.log(`    ${error.message}`);
      }
    }
  }
}
rmSync(options.work ? cache : work, {recursive: true, force: true});
console.log(`${asked} motions, ${asked - failures} as they should be, ${failures} not`);
process.exit(failures || !asked ? 1 : 0);
