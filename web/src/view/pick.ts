// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Picking on the arrays that are drawn.

import * as THREE from 'three';

export interface Hit {
  triangle: number;
  vertex: number; // The nearest corner, a render vertex.
  point: THREE.Vector3;
  distance: number;
}

/// The nearest triangle that a ray meets: a plain scan, a few milliseconds for 50,000 triangles.
export function pickTriangle(ray: THREE.Ray, positions: Float32Array, triangles: Uint32Array, visible: (corner: number) => boolean): Hit | null {
  const { origin: o, direction: d } = ray;
  let best = Infinity;
  let found = -1;
  let bu = 0;
  let bv = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ax = positions[a], ay = positions[a + 1], az = positions[a + 2];
    const e1x = positions[b] - ax, e1y = positions[b + 1] - ay, e1z = positions[b + 2] - az;
    const e2x = positions[c] - ax, e2y = positions[c + 1] - ay, e2z = positions[c + 2] - az;
    const px = d.y * e2z - d.z * e2y, py = d.z * e2x - d.x * e2z, pz = d.x * e2y - d.y * e2x;
    const det = e1x * px + e1y * py + e1z * pz;
    if (det === 0) continue;
    const inverse = 1 / det;
    const sx = o.x - ax, sy = o.y - ay, sz = o.z - az;
    const u = (sx * px + sy * py + sz * pz) * inverse;
    if (u < 0 || u > 1) continue;
    const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
    const v = (d.x * qx + d.y * qy + d.z * qz) * inverse;
    if (v < 0 || u + v > 1) continue;
    const along = (e2x * qx + e2y * qy + e2z * qz) * inverse;
    if (along <= 0 || along >= best || !visible(t)) continue;
    best = along;
    found = t;
    bu = u;
    bv = v;
  }
  if (found < 0) return null;
  const w = 1 - bu - bv;
  const corner = w >= bu && w >= bv ? 0 : bu >= bv ? 1 : 2;
  return { triangle: found / 3, vertex: triangles[found + corner], point: ray.at(best, new THREE.Vector3()), distance: best };
}

/// The distance in pixels of a point of the screen from a segment of it.
export function segmentDistance(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const dx = bx - ax, dy = by - ay;
  const length = dx * dx + dy * dy;
  const t = length > 0 ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
