// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node check_motion.mjs IN OUT CACHE.mdd [--clip NAME] [--tolerance 1e-3]
//
// Does OUT, a glTF file that `sinew deform` made of IN, show at every frame the vertices that CACHE holds? CACHE is the same
// motion as a Motion Designer file: vertices in the order of IN, frame after frame. Prints the largest distance, relative to the
// size of the character, and how many morph weights of a node were ever other than zero at once; exit code 1 if a vertex is
// farther off than the tolerance or more than two weights were.

import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {Evaluator} from './evaluator.mjs';

/** {times, frames: arrays of x, y, z} of a Motion Designer file. */
export function readMdd(path) {
  const bytes = readFileSync(path);
  const [frames, points] = [bytes.readInt32BE(0), bytes.readInt32BE(4)];
  if (bytes.length !== 8 + 4 * frames * (1 + 3 * points)) throw new Error(`${path} has not the length its header says`);
  const times = Array.from({length: frames}, (_, f) => bytes.readFloatBE(8 + 4 * f));
  let at = 8 + 4 * frames;
  const read = () => {
    const values = new Float64Array(3 * points);
    for (let i = 0; i < values.length; ++i, at += 4) values[i] = bytes.readFloatBE(at);
    return values;
  };
  return {times, points, frames: Array.from({length: frames}, read)};
}

/** Where each block of IN begins in the cache: primitives of a mesh that share all their accessors share their vertices. */
export function runs(evaluator) {
  const known = new Map();
  let next = 0;
  return evaluator.blocks().map(block => {
    const primitive = evaluator.json.meshes[block.mesh].primitives[block.primitive];
    const key = JSON.stringify([block.node, primitive.attributes, primitive.targets, primitive.extensions?.KHR_draco_mesh_compression]);
    if (!known.has(key)) {
      known.set(key, next);
      next += block.count;
    }
    return {...block, first: known.get(key), total: next};
  });
}

/** The node of OUT that shows what a node of IN showed: itself, or the one that took over its mesh and name. */
export function nodeNow(before, after, node) {
  if (after.nodes[node].mesh !== undefined) return node;
  const {name} = before.nodes[node];
  return after.nodes.findIndex((other, i) => i >= before.nodes.length && other.name === name && other.mesh !== undefined);
}

/** The diagonal of the box around points. */
export function extent(values) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  values.forEach((value, i) => {
    low[i % 3] = Math.min(low[i % 3], value);
    high[i % 3] = Math.max(high[i % 3], value);
  });
  return Math.hypot(...high.map((value, i) => value - low[i]));
}

/** {worst, active, frames, targets} of a written motion against its cache. */
export async function checkMotion(input, output, cachePath, clipName) {
  const [before, after] = [await Evaluator.open(input), await Evaluator.open(output)];
  const cache = readMdd(cachePath);
  const blocks = runs(before);
  if ((blocks.at(-1)?.total ?? 0) !== cache.points) throw new Error(`the cache has ${cache.points} points, the file ${blocks.at(-1)?.total}`);
  const animations = after.json.animations ?? [];
  const clip = clipName === undefined ? animations.length - 1 : animations.findIndex(({name}) => name === clipName);
  if (cache.times.length > 1 && clip < 0) throw new Error(`${output} has no clip ${clipName}`);
  const size = extent(cache.frames[0]);
  const result = {worst: 0, active: 0, frames: cache.frames.length, targets: 0};
  cache.frames.forEach((truth, f) => {
    const pose = after.pose(cache.times.length > 1 ? `clip:${clip}:${cache.times[f] - cache.times[0]}` : 'rest');
    for (const {node, primitive, first, count} of blocks) {
      const now = nodeNow(before.json, after.json, node);
      const shown = after.positions({node: now, primitive}, pose);
      for (let i = 0; i < 3 * count; i += 3) {
        if (Number.isNaN(shown[i])) continue;
        const d = Math.hypot(...[0, 1, 2].map(c => shown[i + c] - truth[3 * first + i + c])) / size;
        if (!(d <= result.worst)) result.worst = Number.isNaN(d) ? Infinity : d;
      }
      const target = after.json.meshes[after.json.nodes[now].mesh].primitives[primitive];
      const added = (target.targets ?? []).length > (before.json.meshes[before.json.nodes[node].mesh].primitives[primitive].targets ?? []).length;
      if (!added) continue;
      result.targets = Math.max(result.targets, target.targets.length);
      result.active = Math.max(result.active, (pose.weights[now] ?? []).filter(weight => weight !== 0).length);
    }
  });
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [input, output, cache, ...rest] = process.argv.slice(2);
  const options = Object.fromEntries(Array.from({length: rest.length / 2}, (_, i) => [rest[2 * i].slice(2), rest[2 * i + 1]]));
  if (!cache) {
    console.error('usage: node check_motion.mjs IN OUT CACHE.mdd [--clip NAME] [--tolerance 1e-3]');
    process.exit(2);
  }
  const {worst, active, frames, targets} = await checkMotion(input, output, cache, options.clip);
  console.log(`${frames} frames, ${targets} targets, at most ${active} active, off by ${worst.toExponential(2)} of the size`);
  process.exit(worst <= Number(options.tolerance ?? 1e-3) && active <= Number(options.active ?? 128) ? 0 : 1);
}
