// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_bind.mjs --sinew PROGRAM [--work FOLDER] [--data FOLDER] [--only TEXT]
//
// Binds made characters, and real ones below --data, with `PROGRAM bind`. Asks of each file written: does Khronos' validator find no
// error that the input has not, does every vertex of a skinned mesh have weights that sum to 1 and name joints of its skin, and are nodes
// with clips and materials as many as before? Prints a table; exit code 1 if any answer is no, or if there was nothing to ask.

import {existsSync, mkdirSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {Gltf} from './gltf.mjs';
import {parse, sinew} from './program.mjs';
import {compareValidity} from './validate.mjs';

const MADE = [['human', '--vertices', '3000', '--clothes'], ['cylinder'], ['bird']];
const REAL = ['CesiumMan.glb', 'Fox.glb', 'HVGirl.glb', 'RobotExpressive.glb', 'Knight.glb', 'Godette_vrm_v4.vrm'];

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

/** Throws if a vertex of a skinned mesh has weights that are no shares of its skin's joints. */
function checkRows(file) {
  let rows = 0;
  for (const node of file.json.nodes) {
    if (node.mesh === undefined || node.skin === undefined) continue;
    const joints = file.json.skins[node.skin].joints.length;
    for (const {attributes} of file.json.meshes[node.mesh].primitives) {
      const weights = file.numbers(attributes.WEIGHTS_0);
      const names = file.components(attributes.JOINTS_0);
      for (let v = 0; v < weights.length / 4; ++v, ++rows) {
        let sum = 0;
        for (let k = 4 * v; k < 4 * v + 4; ++k) {
          sum += weights[k];
          if (!(weights[k] >= 0) || names[k] >= joints) throw new Error(`vertex ${v}: weight ${weights[k]} on joint ${names[k]} of ${joints}`);
        }
        if (Math.abs(sum - 1) > 1e-6) throw new Error(`vertex ${v}: weights sum to ${sum}`);
      }
    }
  }
  return rows;
}

async function judge(options, work, input) {
  const output = join(work, `${basename(input)}_bound.glb`);
  const {metrics} = JSON.parse(sinew(options.sinew, 'bind', input, '-o', output, '--force', '--json'));
  const {added} = await compareValidity(output, input);
  if (added.length) throw new Error(added[0]);
  const [before, after] = [await Gltf.open(input), await Gltf.open(output)];
  for (const key of ['nodes', 'animations', 'materials', 'images', 'scenes']) {
    const [x, y] = [before, after].map(({json}) => (json[key] ?? []).length);
    if (x !== y) throw new Error(`${x} ${key} became ${y}`);
  }
  const rows = checkRows(after);
  if (rows === 0) throw new Error('no skinned vertices were written');
  rmSync(output, {force: true});
  return [basename(input), metrics.vertices, rows, metrics.joints.bound, metrics.low_confidence];
}

function print(cells) {
  const widths = [26, 10, 10, 8, 10];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

const options = parse(process.argv.slice(2));
const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-bind-'));
mkdirSync(work, {recursive: true});
print(['file', 'bound', 'rows', 'joints', 'doubtful']);
let asked = 0;
let failures = 0;
for (const path of makeInputs(options, work)) {
  ++asked;
  try {
    print(await judge(options, work, path));
  } catch (error) {
    ++failures;
    print([basename(path), 'NO']);
    console.log(`    ${error.message}`);
  }
}
if (!options.work) rmSync(work, {recursive: true});
console.log(`${asked} files, ${asked - failures} as they should be, ${failures} not`);
process.exit(failures || !asked ? 1 : 0);
