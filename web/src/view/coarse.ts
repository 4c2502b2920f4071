// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Fewer triangles on the same vertices, for pictures that are drawn with the processor while a large character moves.

export interface Coarse {
  triangles: Uint32Array;
  groups: { start: number; count: number }[];
  cell: number; // Edge of the cubes whose vertices became one.
}

function area(positions: Float32Array, triangles: Uint32Array): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [positions[b] - positions[a], positions[b + 1] - positions[a + 1], positions[b + 2] - positions[a + 2]];
    const [vx, vy, vz] = [positions[c] - positions[a], positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]];
    sum += 0.5 * Math.hypot(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx);
  }
  return sum;
}

/// Each vertex gives way to the first one in its cube that faces nearly its way and has nearly its place in the texture:
/// surfaces that touch stay apart, and so do the sides of a seam. Triangles that keep three corners stay, about `most`
/// of them. Normals have four bytes.
export function coarsen(positions: Float32Array, normals: Int8Array, uvs: Float32Array, triangles: Uint32Array, groups: { start: number; count: number }[], most: number): Coarse {
  const cell = Math.sqrt((2 * area(positions, triangles)) / most);
  const count = positions.length / 3;
  const lower = [Infinity, Infinity, Infinity];
  for (let i = 0; i < positions.length; ++i) lower[i % 3] = Math.min(lower[i % 3], positions[i]);
  const number = (v: number, k: number) => Math.floor((positions[3 * v + k] - lower[k]) / cell);
  const first = new Map<number, number>();
  const next = new Int32Array(count).fill(-1); // Of the kept vertices of one cube.
  const kept = new Uint32Array(count);
  const alike = (a: number, b: number) => {
    const facing = normals[4 * a] * normals[4 * b] + normals[4 * a + 1] * normals[4 * b + 1] + normals[4 * a + 2] * normals[4 * b + 2];
    return facing > 0.3 * 127 * 127 && Math.abs(uvs[2 * a] - uvs[2 * b]) + Math.abs(uvs[2 * a + 1] - uvs[2 * b + 1]) < 0.06;
  };
  for (let v = 0; v < count; ++v) {
    const key = (number(v, 0) * 65536 + number(v, 1)) * 65536 + number(v, 2);
    const head = first.get(key);
    let found = head ?? -1;
    while (found >= 0 && !alike(v, found)) found = next[found];
    if (found < 0) {
      found = v;
      next[v] = head ?? -1;
      first.set(key, v);
    }
    kept[v] = found;
  }
  const left = new Uint32Array(triangles.length);
  let size = 0;
  const ranges = groups.map((group) => {
    const start = size;
    for (let t = group.start; t < group.start + group.count; t += 3) {
      const [a, b, c] = [kept[triangles[t]], kept[triangles[t + 1]], kept[triangles[t + 2]]];
      if (a === b || b === c || c === a) continue;
      left[size++] = a;
      left[size++] = b;
      left[size++] = c;
    }
    return { start, count: size - start };
  });
  return { triangles: left.slice(0, size), groups: ranges, cell };
}
