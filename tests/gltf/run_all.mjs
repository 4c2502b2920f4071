// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node run_all.mjs --sinew PROGRAM [--work FOLDER] [--data FOLDER] [--positions PROGRAM] [--only TEXT]
//
// Converts every fixture, and every glTF, GLB and VRM file below --data, to GLB with `PROGRAM convert IN -o OUT.glb`, and asks of each
// result: is it the same character (compare.mjs), and does Khronos' validator find nothing new (validate.mjs)? With
// --positions also: does `PROGRAM IN DUMP` put every vertex where evaluator.mjs does (FORMAT.md), for the file and its conversion?
// Prints a table; exit code 1 if any answer is no, or if there was nothing to ask.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, relative} from 'node:path';
import {compareFiles} from './compare.mjs';
import {comparePositions} from './compare_positions.mjs';
import {makeFixtures} from './make_fixtures.mjs';
import {compareValidity} from './validate.mjs';

// Malformed files have a test of their own: they are there to be refused. Files of repro/ are known to break the program.
const LEFT_OUT = ['repro', 'malformed'];
const SHOWN = 5;

function parse(argv) {
  const options = {};
  for (let i = 0; i < argv.length; i += 2) {
    if (!['--sinew', '--work', '--data', '--positions', '--only'].includes(argv[i]) || argv[i + 1] === undefined) {
      throw new Error(`unknown or unfinished option ${argv[i]}`);
    }
    options[argv[i].slice(2)] = argv[i + 1];
  }
  if (!options.sinew) throw new Error('--sinew PROGRAM is missing');
  return options;
}

function findFiles(folder) {
  return readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap(entry => {
    if (entry.isDirectory()) return LEFT_OUT.includes(entry.name) ? [] : findFiles(join(folder, entry.name));
    return /\.(glb|gltf|vrm)$/i.test(entry.name) ? [join(folder, entry.name)] : [];
  });
}

function run(program, ...args) {
  const started = performance.now();
  const {status, signal, stderr, error} = spawnSync(program, args, {encoding: 'utf8', timeout: 300000, maxBuffer: 1 << 26});
  const text = (stderr ?? '').trim().split('\n').slice(-3).join(' ');
  return {ok: status === 0, seconds: (performance.now() - started) / 1000, text: `${error?.message ?? ''}exit ${signal ?? status}: ${text}`};
}

/** Asks one question; a thrown error is an answer too. */
async function ask(problems, question, body) {
  try {
    const found = await body();
    problems.push(...found.map(text => `${question}: ${text}`));
    return found.length ? 'NO' : 'yes';
  } catch (error) {
    problems.push(`${question}: ${error.message}`);
    return 'NO';
  }
}

async function askPositions(problems, program, file, dump) {
  let worst = 0;
  const answer = await ask(problems, `positions of ${basename(file)}`, async () => {
    const {ok, text} = run(program, file, dump);
    if (!ok) return [text];
    const {poses, problems: found} = await comparePositions(file, dump);
    for (const pose of poses.values()) worst = Math.max(worst, pose.worst);
    return found;
  });
  rmSync(dump, {force: true});
  return answer === 'yes' ? worst.toExponential(1) : answer;
}

async function judge(options, input, output) {
  const problems = [];
  const row = {convert: 'NO', same: '-', valid: '-', positions: '-', seconds: 0};
  rmSync(output, {force: true});
  const converted = run(options.sinew, 'convert', input, '-o', output, '--quiet');
  row.seconds = converted.seconds;
  if (!converted.ok || !existsSync(output)) {
    problems.push(`convert: ${converted.text}`);
    return {row, problems, notes: []};
  }
  row.convert = 'yes';
  let notes = [];
  row.same = await ask(problems, 'compare', async () => {
    const result = await compareFiles(input, output);
    notes = result.notes;
    return result.differences;
  });
  row.valid = await ask(problems, 'validate', async () => (await compareValidity(output, input)).added);
  if (options.positions) {
    const before = await askPositions(problems, options.positions, input, `${output}.positions`);
    const after = await askPositions(problems, options.positions, output, `${output}.positions`);
    row.positions = before === after ? before : `${before} ${after}`;
  }
  return {row, problems, notes};
}

function print(cells) {
  const widths = [44, 8, 6, 6, 10, 8];
  console.log(cells.map((cell, i) => String(cell).padEnd(widths[i])).join(' ').trimEnd());
}

async function main() {
  const options = parse(process.argv.slice(2));
  const work = options.work ?? mkdtempSync(join(tmpdir(), 'sinew-gltf-'));
  mkdirSync(join(work, 'out'), {recursive: true});
  const fixtures = await makeFixtures(join(work, 'fixtures'));
  let inputs = fixtures.map(path => [path, `fixtures/${basename(path)}`]);
  if (options.data && existsSync(options.data)) {
    inputs.push(...findFiles(options.data).map(path => [path, relative(options.data, path)]));
  }
  if (options.only) inputs = inputs.filter(([, name]) => name.includes(options.only));
  print(['file', 'convert', 'same', 'valid', 'positions', 'seconds']);
  let failures = 0;
  for (const [input, name] of inputs) {
    const {row, problems, notes} = await judge(options, input, join(work, 'out', `${name.replaceAll('/', '__')}.glb`));
    print([name, row.convert, row.same, row.valid, row.positions, row.seconds.toFixed(2)]);
    for (const text of problems.slice(0, SHOWN)) console.log(`    ${text}`);
    if (problems.length > SHOWN) console.log(`    … and ${problems.length - SHOWN} more`);
    if (notes.length) console.log(`    note ${notes[0]}${notes.length > 1 ? ` (and ${notes.length - 1} more notes)` : ''}`);
    failures += problems.length ? 1 : 0;
  }
  if (!options.work) rmSync(work, {recursive: true});
  console.log(`${inputs.length} files, ${inputs.length - failures} came through, ${failures} did not`);
  process.exit(failures || !inputs.length ? 1 : 0);
}

await main();
