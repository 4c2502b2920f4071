// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Moves the helper joints of a file that `sinew helpers` wrote, in three.js. README.md shows its use; docs/formats/drivers.md describes the
// drivers that it evaluates.

import {MathUtils, Matrix4, Quaternion, Vector3} from 'three';

/** The twist of a rotation about a unit axis, in (−π, π]. */
function twistAngle(q, axis) {
  const along = q.x * axis.x + q.y * axis.y + q.z * axis.z;
  if (along === 0 && q.w === 0) return 0;
  const angle = 2 * Math.atan2(along, q.w);
  return angle > Math.PI ? angle - 2 * Math.PI : angle <= -Math.PI ? angle + 2 * Math.PI : angle;
}

/** The shortest rotation vector of a unit quaternion. */
function rotationVector(q) {
  const sign = q.w < 0 ? -1 : 1;
  const v = new Vector3(sign * q.x, sign * q.y, sign * q.z);
  const sine = v.length();
  return sine < 1e-12 ? v.multiplyScalar(2) : v.multiplyScalar(2 * Math.atan2(sine, sign * q.w) / sine);
}

function rotation(vector) {
  const angle = vector.length();
  return angle < 1e-12 ? new Quaternion() : new Quaternion().setFromAxisAngle(vector.clone().divideScalar(angle), angle);
}

/** The value of a polynomial in x, y, z with coefficients in graded lexical order. */
function polynomial(coefficients, {x, y, z}) {
  let sum = 0;
  for (let degree = 0, next = 0; next < coefficients.length; ++degree) {
    for (let i = degree; i >= 0; --i) {
      for (let j = degree - i; j >= 0; --j) sum += coefficients[next++] * x ** i * y ** j * z ** (degree - i - j);
    }
  }
  return sum;
}

/** The nine outputs of a polynomial driver. */
const outputs = (driver, vector) => Array.from({length: 9}, (_, i) => polynomial(driver.coefficients[i] ?? [], vector));

/** The value at x of a function that is linear between keys and constant beyond them. */
function piecewiseLinear(keys, x) {
  const after = keys.findIndex(([input]) => x < input);
  if (after === 0) return keys[0][1];
  if (after < 0) return keys[keys.length - 1][1];
  const [x0, y0] = keys[after - 1], [x1, y1] = keys[after];
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/** Evaluates the drivers of a glTF file that GLTFLoader has loaded. */
export class SinewDrivers {
  /** Reads the drivers from `extras` of the nodes. Call it before the character is posed: its transforms are the rest pose. */
  constructor(gltf) {
    const nodes = new Map();
    const {associations, json} = gltf.parser;
    gltf.scene.updateMatrixWorld(true);
    gltf.scene.traverse(object => {
      const node = associations.get(object)?.nodes;
      if (node !== undefined && !nodes.has(node)) nodes.set(node, object);
    });
    this.root = gltf.scene;
    this.skipped = []; // Names of nodes whose driver is of an unknown kind, or whose source is not in the scene.
    const found = new Map();
    for (const [node, object] of nodes) {
      const driver = json.nodes[node].extras?.sinew?.driver;
      if (!driver) continue;
      const number = typeof driver.source === 'string' ? json.nodes.findIndex(({name}) => name === driver.source) : driver.source;
      const source = nodes.get(number);
      const known = ['twist_share', 'rotation_share', 'driven_keys', 'polynomial', 'aim'].includes(driver.kind);
      if (known && source && source !== object) found.set(object, this.#prepare(driver, object, source));
      else this.skipped.push(json.nodes[node].name ?? `node ${node}`);
    }
    this.drivers = [];
    const visit = entry => {
      if (entry.state === 'done') return;
      if (entry.state === 'open') throw new Error(`The drivers of '${entry.object.name}' and others depend on each other in a cycle.`);
      entry.state = 'open';
      for (const object of this.#inputs(entry)) if (found.has(object)) visit(found.get(object));
      entry.state = 'done';
      this.drivers.push(entry);
    };
    for (const entry of found.values()) visit(entry);
  }

  /** Moves the helper joints. Call it in every frame after the animation mixer, or whatever poses the character. */
  update() {
    for (const entry of this.drivers) this.#drive(entry);
  }

  #prepare(driver, object, source) {
    const axis = new Vector3(...(driver.axis ?? [0, 1, 0])).normalize();
    const before = new Quaternion(...(driver.before ?? [0, 0, 0, 1])).normalize();
    const entry = {
      kind: driver.kind, object, source, axis, before, share: driver.share ?? 0.5, weight: driver.weight ?? 1,
      keys: driver.keys, coefficients: driver.coefficients,
      rest: {position: object.position.clone(), quaternion: object.quaternion.clone(), scale: object.scale.clone()},
      sourceRest: source.quaternion.clone(),
    };
    // The source's axis as the driven joint sees it at rest.
    // With 'before', a joint beside its source keeps the axis that it had where the driver was made.
    const seen = axis.clone();
    if (driver.kind === 'twist_share' && driver.before && !this.#isAbove(source, object)) seen.applyQuaternion(before.clone().invert());
    entry.drivenAxis = seen.applyQuaternion(this.#modelRotation(source)).applyQuaternion(this.#modelRotation(object).invert());
    if (driver.kind === 'twist_share') entry.constant = driver.before ? twistAngle(before, axis) : 0;
    if (driver.kind === 'polynomial') entry.constant = driver.before ? outputs(entry, rotationVector(before)) : new Array(9).fill(0);
    if (driver.kind === 'driven_keys') entry.constant = driver.before ? piecewiseLinear(driver.keys, twistAngle(before, axis)) : 0;
    return entry;
  }

  #isAbove(above, object) {
    let at = object;
    while (at && at !== above) at = at.parent;
    return at === above;
  }

  /** The product of the rotations from the scene to an object. */
  #modelRotation(object) {
    const result = new Quaternion();
    for (let at = object; at && at !== this.root; at = at.parent) result.premultiply(at.quaternion);
    return result;
  }

  /** The objects on which a driver depends. */
  #inputs({kind, object, source}) {
    if (kind !== 'aim') return [source];
    const result = [];
    for (let at = source; at; at = at.parent) result.push(at);
    for (let at = object.parent; at; at = at.parent) result.push(at);
    return result;
  }

  #delta({source, sourceRest, before}) {
    return before.clone().multiply(sourceRest.clone().invert().multiply(source.quaternion)).normalize();
  }

  #drive(entry) {
    const {kind, object, rest} = entry;
    object.position.copy(rest.position);
    object.scale.copy(rest.scale);
    let turn;
    if (kind === 'aim') {
      turn = this.#aim(entry);
    } else {
      const delta = this.#delta(entry);
      if (kind === 'twist_share') {
        turn = rotation(entry.drivenAxis.clone().multiplyScalar(entry.share * (twistAngle(delta, entry.axis) - entry.constant)));
      } else if (kind === 'driven_keys') {
        turn = rotation(entry.drivenAxis.clone().multiplyScalar(piecewiseLinear(entry.keys, twistAngle(delta, entry.axis)) - entry.constant));
      } else if (kind === 'rotation_share') {
        turn = rotation(rotationVector(entry.before).multiplyScalar(-entry.share)).multiply(rotation(rotationVector(delta).multiplyScalar(entry.share)));
      } else {
        const out = outputs(entry, rotationVector(delta)).map((value, i) => value - entry.constant[i]);
        object.position.add(new Vector3(...out.slice(0, 3)).applyQuaternion(rest.quaternion));
        object.scale.multiply(new Vector3(...out.slice(6).map(Math.exp)));
        turn = rotation(new Vector3(...out.slice(3, 6)));
      }
    }
    object.quaternion.copy(rest.quaternion).multiply(turn).normalize();
  }

  /** The smallest rotation that points the joint's axis at the source. */
  #aim({object, source, rest, axis, weight}) {
    const model = at => {
      const m = new Matrix4();
      for (; at && at !== this.root; at = at.parent) m.premultiply(new Matrix4().compose(at.position, at.quaternion, at.scale));
      return m;
    };
    const parent = model(object.parent);
    const frame = this.#modelRotation(object.parent).invert();
    const target = new Vector3().setFromMatrixPosition(model(source)).sub(rest.position.clone().applyMatrix4(parent));
    const pointing = axis.clone().applyQuaternion(rest.quaternion).transformDirection(parent);
    if (target.length() < 1e-12) return new Quaternion();
    const back = rest.quaternion.clone().invert();
    const from = pointing.applyQuaternion(frame).applyQuaternion(back).normalize();
    const to = target.applyQuaternion(frame).applyQuaternion(back).normalize();
    return new Quaternion().slerp(new Quaternion().setFromUnitVectors(from, to), MathUtils.clamp(weight, 0, 1));
  }
}
