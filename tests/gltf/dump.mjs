// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Dumps of positions, as FORMAT.md describes them.

import {readFileSync, writeFileSync} from 'node:fs';

/** Writes blocks {node, primitive, pose, positions, …}. */
export function writeDump(path, blocks) {
  let offset = 0;
  const listed = blocks.map(({positions, ...block}) => {
    const entry = {...block, count: positions.length / 3, offset};
    offset += positions.length * 8;
    return entry;
  });
  const header = JSON.stringify({format: 'sinew-positions', version: 1, blocks: listed});
  const bytes = Buffer.byteLength(header) + 1;
  const padding = (8 - (bytes % 8)) % 8;
  const parts = [Buffer.from(`${header}${' '.repeat(padding)}\n`)];
  for (const {positions} of blocks) {
    const data = Buffer.alloc(positions.length * 8);
    positions.forEach((value, i) => data.writeDoubleLE(value, i * 8));
    parts.push(data);
  }
  writeFileSync(path, Buffer.concat(parts));
}

/** Blocks of a dump, each with its `positions`. */
export function readDump(path) {
  const bytes = readFileSync(path);
  const start = bytes.indexOf(10) + 1;
  const header = JSON.parse(bytes.subarray(0, start).toString());
  if (header.format !== 'sinew-positions' || header.version !== 1) throw new Error(`${path} is not a dump of positions`);
  return header.blocks.map(block => {
    const from = start + block.offset;
    if (from + block.count * 24 > bytes.length) throw new Error(`${path} ends inside block ${JSON.stringify(block)}`);
    const positions = new Float64Array(block.count * 3);
    for (let i = 0; i < positions.length; ++i) positions[i] = bytes.readDoubleLE(from + i * 8);
    return {...block, positions};
  });
}
