// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node compare_positions.mjs FILE DUMP [--tolerance 1e-5]
//
// Is every vertex where an independent evaluation of the file puts it? DUMP is described in FORMAT.md. Prints the largest
// distance of each pose, relative to the size of the character; exit code 1 if one is too large or a block is missing.

import {fileURLToPath} from 'node:url';
import {readDump} from './dump.mjs';
import {Evaluator} from './evaluator.mjs';

function diagonal(arrays) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const positions of arrays) {
    positions.forEach((value, i) => {
      if (value < low[i % 3]) low[i % 3] = value;
      if (value > high[i % 3]) high[i % 3] = value;
    });
  }
  const length = Math.hypot(...high.map((value, i) => value - low[i]));
  return Number.isFinite(length) && length > 0 ? length : 1;
}

function farthest(expected, actual, size) {
  let worst = 0;
  let skipped = 0;
  for (let i = 0; i < expected.length; i += 3) {
    if (Number.isNaN(expected[i])) {
      ++skipped;
      continue;
    }
    const distance = Math.hypot(expected[i] - actual[i], expected[i + 1] - actual[i + 1], expected[i + 2] - actual[i + 2]) / size;
    if (!(distance <= worst)) worst = Number.isNaN(distance) ? Infinity : distance;
  }
  return {worst, skipped};
}

const sameTime = (a, b) => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a));

function hasPose(names, wanted) {
  if (names.has(wanted)) return true;
  const [, clip, time] = wanted.split(':');
  return [...names].some(name => {
    const [kind, otherClip, otherTime] = name.split(':');
    return kind === 'clip' && otherClip === clip && sameTime(Number(otherTime), Number(time));
  });
}

/** {poses: Map name → {worst, skipped}, problems: [sentences]} of a dump against the file it is about. */
export async function comparePositions(path, dumpPath, tolerance = 1e-5) {
  const evaluator = await Evaluator.open(path);
  const wanted = evaluator.blocks();
  const rest = evaluator.pose('rest');
  const size = diagonal(wanted.map(block => evaluator.positions(block, rest)));
  const byPose = new Map();
  for (const block of readDump(dumpPath)) {
    if (!byPose.has(block.pose)) byPose.set(block.pose, new Map());
    byPose.get(block.pose).set(`${block.node}/${block.primitive}`, block);
  }
  const problems = [];
  for (const name of evaluator.poses()) {
    if (wanted.length && !hasPose(new Set(byPose.keys()), name)) problems.push(`pose ${name} is missing`);
  }
  const poses = new Map();
  for (const [name, found] of byPose) {
    const pose = name === 'bind' ? undefined : evaluator.pose(name);
    const result = {worst: 0, skipped: 0};
    for (const block of wanted) {
      const where = `pose ${name}, node ${block.node}, primitive ${block.primitive}`;
      const given = found.get(`${block.node}/${block.primitive}`);
      if (!given || given.count !== block.count) {
        problems.push(given ? `${where}: ${given.count} vertices instead of ${block.count}` : `${where} is missing`);
        continue;
      }
      const expected = pose ? evaluator.positions(block, pose) : evaluator.bind(block);
      const {worst, skipped} = farthest(expected, given.positions, pose ? size : diagonal([expected]));
      result.worst = Math.max(result.worst, worst);
      result.skipped += skipped;
      if (!(worst < tolerance)) problems.push(`${where}: off by ${worst.toExponential(2)} of the size`);
    }
    poses.set(name, result);
  }
  return {poses, problems, size};
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, dump, flag, value] = process.argv.slice(2);
  if (!dump || (flag && flag !== '--tolerance')) {
    console.error('usage: node compare_positions.mjs FILE DUMP [--tolerance 1e-5]');
    process.exit(2);
  }
  const {poses, problems, size} = await comparePositions(path, dump, flag ? Number(value) : undefined);
  console.log(`size ${size}`);
  for (const [name, {worst, skipped}] of poses) {
    console.log(`${name}: ${worst.toExponential(2)}${skipped ? `, ${skipped} vertices without weights not compared` : ''}`);
  }
  for (const problem of problems) console.log(`wrong: ${problem}`);
  process.exit(problems.length ? 1 : 0);
}
