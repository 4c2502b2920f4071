// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node evaluate.mjs FILE --out VALUES.bin|VALUES.json [--clip I --time T]…
//
// World-space positions of every vertex of every mesh node of the default scene: as the file shows itself, bound, and for each
// animation at its start, half and 0.8 of its length; or at the times asked for. FORMAT.md describes the .bin.

import {writeFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {Evaluator} from './evaluator.mjs';
import {writeDump} from './dump.mjs';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path, ...rest] = process.argv.slice(2);
  let out;
  let clip = 0;
  const asked = [];
  while (rest.length) {
    const flag = rest.shift();
    if (flag === '--out') out = rest.shift();
    else if (flag === '--clip') clip = Number(rest.shift());
    else if (flag === '--time') asked.push(`clip:${clip}:${Number(rest.shift())}`);
    else throw new Error(`unknown option ${flag}`);
  }
  if (!path || !out) {
    console.error('usage: node evaluate.mjs FILE --out VALUES.bin|VALUES.json [--clip I --time T]…');
    process.exit(2);
  }
  const evaluator = await Evaluator.open(path);
  const blocks = [];
  for (const name of ['bind', ...(asked.length ? ['rest', ...asked] : evaluator.poses())]) {
    const pose = name === 'bind' ? undefined : evaluator.pose(name);
    for (const block of evaluator.blocks()) {
      blocks.push({...block, pose: name, positions: pose ? evaluator.positions(block, pose) : evaluator.bind(block)});
    }
  }
  if (out.endsWith('.json')) {
    writeFileSync(out, JSON.stringify(blocks.map(block => ({...block, positions: Array.from(block.positions)})), null, 1));
  } else {
    writeDump(out, blocks);
  }
  console.log(`${blocks.length} blocks written to ${out}`);
}
