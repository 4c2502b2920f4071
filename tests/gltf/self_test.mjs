// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node self_test.mjs FOLDER
//
// Do the judges judge? Every fixture, laid out anew in every way a writer is free to choose, has to count as the same;
// every single thing that is then spoilt has to be found. The evaluator has to agree with values worked out by hand.
// FOLDER gets the files. Exit code 1 if a check fails.

import assert from 'node:assert/strict';
import {existsSync, mkdirSync} from 'node:fs';
import {basename, join} from 'node:path';
import {Builder, FLOAT, U8, limits, pack, random, turn} from './builder.mjs';
import {compareFiles} from './compare.mjs';
import {comparePositions} from './compare_positions.mjs';
import {readDump, writeDump} from './dump.mjs';
import {Evaluator, sampleTrack} from './evaluator.mjs';
import {COMPONENT_TYPES, Gltf, elementLayout, meshoptOf, sniffImage} from './gltf.mjs';
import {makeFixtures} from './make_fixtures.mjs';
import {compareValidity} from './validate.mjs';

const COMPRESSIONS = ['EXT_meshopt_compression', 'KHR_draco_mesh_compression'];
const folder = process.argv[2];
if (!folder) {
  console.error('usage: node self_test.mjs FOLDER');
  process.exit(2);
}

let passed = 0;
let failed = 0;
async function check(name, body) {
  try {
    await body();
    ++passed;
  } catch (error) {
    ++failed;
    console.log(`FAILED ${name}: ${error.message}`);
  }
}

/** The document of a file with everything decoded and every byte somewhere else; `spoil` may change it before it is written. */
async function relayout(source, target, spoil = () => {}) {
  const file = await Gltf.open(source);
  const b = new Builder();
  const json = structuredClone(file.json);
  const old = json.bufferViews ?? [];
  delete json.bufferViews;
  delete json.buffers;
  b.json = json;
  b.append(new Uint8Array(12).fill(0xee));
  const contents = (json.accessors ?? []).map((_, i) => file.components(i).slice());
  const images = (json.images ?? []).map((_, i) => file.image(i).bytes);
  const others = [...file.others];
  const views = old.map((_, i) => file.view(i));
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) dropCompression(primitive);
  for (const list of ['extensionsUsed', 'extensionsRequired']) {
    if (!json[list]) continue;
    json[list] = json[list].filter(name => !COMPRESSIONS.includes(name));
    if (!json[list].length) delete json[list];
  }
  for (const [i, values] of file.draco) {
    const accessor = json.accessors[i];
    if (accessor.min) Object.assign(accessor, limits(values, accessor.componentType, accessor.type));
  }
  const attributes = new Set((json.meshes ?? []).flatMap(({primitives}) => primitives)
      .flatMap(primitive => [primitive.attributes, ...(primitive.targets ?? [])]).flatMap(Object.values));
  spoil({json, contents, images, others, views});
  (json.accessors ?? []).map((accessor, i) => [accessor, i]).reverse().forEach(([accessor, i]) => {
    delete accessor.sparse;
    delete accessor.byteOffset;
    const stride = attributes.has(i) ? alignedStride(accessor) : undefined;
    accessor.bufferView = b.view(pack(contents[i], accessor.componentType, accessor.type, stride), stride ? {byteStride: stride} : {});
  });
  (json.images ?? []).forEach((image, i) => {
    delete image.uri;
    image.bufferView = b.view(images[i]);
    image.mimeType ??= sniffImage(images[i]);
  });
  // Views that carry a name or extras, that an extension refers to, or that nothing refers to.
  const moved = new Map();
  const move = i => {
    const {name, extras} = old[i];
    if (!moved.has(i)) moved.set(i, b.view(views[i], {...(name ? {name} : {}), ...(extras ? {extras} : {})}));
    return moved.get(i);
  };
  old.forEach((view, i) => { if (view.name || view.extras) move(i); });
  redirect(json, move);
  b.glb(target, {chunks: others.map(({type, bytes}) => [type, bytes])});
}

/** What a vertex attribute's stride must be when its elements do not fill four bytes; undefined when they do. */
function alignedStride({componentType, type}) {
  const {bytes} = elementLayout(type, COMPONENT_TYPES[componentType].size);
  return bytes % 4 ? bytes + 4 - (bytes % 4) : undefined;
}

function dropCompression(object) {
  for (const name of COMPRESSIONS) delete object.extensions?.[name];
  if (object.extensions && !Object.keys(object.extensions).length) delete object.extensions;
}

/** Sends the view numbers inside extensions through `move`. */
function redirect(value, move, inside = false) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    if (inside && key === 'bufferView' && Number.isInteger(inner)) value[key] = move(inner);
    else redirect(inner, move, inside || key === 'extensions');
  }
}

/** One thing of a document spoilt; false when it has nothing of the kind. */
const SPOILERS = {
  'one byte of an accessor'({contents}, next) {
    if (!contents.length) return false;
    const values = contents[Math.floor(next() * contents.length)];
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    bytes[Math.floor(next() * bytes.length)] ^= 1 << Math.floor(next() * 8);
  },
  'one byte of a picture'({images}, next) {
    if (!images.length) return false;
    const i = Math.floor(next() * images.length);
    images[i] = images[i].slice();
    images[i][images[i].length >> 1] ^= 1;
  },
  'a name'({json}, next) {
    const named = ['materials', 'nodes', 'meshes', 'animations', 'skins', 'scenes', 'cameras', 'samplers', 'textures', 'images', 'accessors']
        .flatMap(list => json[list] ?? []).filter(object => object.name !== undefined);
    if (!named.length) return false;
    named[Math.floor(next() * named.length)].name += 'x';
  },
  'an extension of the document'({json}, next) {
    const names = Object.keys(json.extensions ?? {});
    if (!names.length) return false;
    delete json.extensions[names[Math.floor(next() * names.length)]];
  },
  'a number deep in an extension'({json}) {
    const found = [];
    const visit = (value, inside) => {
      if (value === null || typeof value !== 'object') return;
      for (const [key, inner] of Object.entries(value)) {
        if (inside && typeof inner === 'number' && key !== 'bufferView') found.push([value, key]);
        visit(inner, inside || key === 'extensions');
      }
    };
    visit(json, false);
    if (!found.length) return false;
    const [object, key] = found[found.length >> 1];
    object[key] += 1;
  },
  'the bytes an unknown extension refers to'({json, views}) {
    const index = json.extensions?.SINEW_unknown?.bufferView;
    if (index === undefined) return false;
    views[index] = views[index].slice();
    views[index][3] ^= 4;
  },
  'an entry of extensionsUsed'({json}) { return json.extensionsUsed ? void json.extensionsUsed.pop() : false; },
  'extras'({json}, next) {
    const found = ['materials', 'nodes', 'meshes', 'animations', 'scenes', 'cameras', 'samplers', 'textures', 'images', 'accessors']
        .flatMap(list => json[list] ?? []).filter(object => object.extras !== undefined);
    if (!found.length) return false;
    delete found[Math.floor(next() * found.length)].extras;
  },
  'the order of two nodes'({json}) {
    if (!(json.nodes?.length > 1) || JSON.stringify(json.nodes[0]) === JSON.stringify(json.nodes[1])) return false;
    [json.nodes[0], json.nodes[1]] = [json.nodes[1], json.nodes[0]];
  },
  'a channel'({json}) { return json.animations ? void json.animations[0].channels.pop() : false; },
  'the joints of a skin'({json}) { return json.skins ? void json.skins[0].joints.reverse() : false; },
  'an attribute'({json}) {
    if (!(Object.keys(json.meshes?.[0]?.primitives[0].attributes ?? {}).length > 1)) return false;
    delete json.meshes[0].primitives[0].attributes[Object.keys(json.meshes[0].primitives[0].attributes).pop()];
  },
  'a component type'({json, contents}) {
    const i = json.accessors?.findIndex(accessor => accessor.componentType === 5123) ?? -1;
    if (i < 0) return false;
    json.accessors[i].componentType = 5125;
    contents[i] = Uint32Array.from(contents[i]);
  },
  'bounds'({json}) {
    const accessor = json.accessors?.find(entry => entry.min);
    return accessor ? void (accessor.min[0] -= 1) : false;
  },
  'an unknown chunk'({others}) { return others.length ? void others.pop() : false; },
  'the generator'({json}) { json.asset.generator = 'other'; },
};

async function checkComparison(paths) {
  const caught = Object.fromEntries(Object.keys(SPOILERS).map(name => [name, 0]));
  for (const path of paths) {
    const name = basename(path);
    await check(`${name} is itself`, async () => assert.deepEqual(await compareFiles(path, path), {differences: [], notes: []}));
    const again = join(folder, 'again', `${name}.glb`);
    await check(`${name} laid out anew is the same`, async () => {
      await relayout(path, again);
      assert.deepEqual((await compareFiles(path, again)).differences, []);
      assert.deepEqual((await compareValidity(again, path)).added, []);
    });
    for (const [what, spoil] of Object.entries(SPOILERS)) {
      for (let seed = 1; seed <= (what.startsWith('one byte of an') ? 5 : 1); ++seed) {
        let applies = true;
        await check(`${name}: spoilt ${what} is found`, async () => {
          const target = join(folder, 'spoilt', `${name}.glb`);
          await relayout(path, target, parts => { applies = spoil(parts, random(seed)) !== false; });
          if (!applies) return;
          assert.notEqual((await compareFiles(path, target)).differences.length, 0);
          ++caught[what];
        });
      }
    }
  }
  for (const [what, count] of Object.entries(caught)) await check(`${what} was tried`, () => assert.ok(count > 0));
  console.log(Object.entries(caught).map(([what, count]) => `caught ${count} × ${what}`).join('\n'));
}

async function checkReader(paths) {
  await check('plain and compressed views of meshopt_fallback agree', async () => {
    const file = await Gltf.open(paths.find(path => path.endsWith('meshopt_fallback.gltf')));
    const packed = file.json.bufferViews.map((view, i) => (meshoptOf(view) ? i : -1)).filter(i => i >= 0);
    assert.ok(packed.length >= 8);
    for (const i of packed) assert.deepEqual(Buffer.from(file.view(i)), Buffer.from(file.plainView(i)), `view ${i}`);
  });
  await check('plain and Draco values of draco_fallback agree', async () => {
    const file = await Gltf.open(paths.find(path => path.endsWith('draco_fallback.glb')));
    assert.equal(file.draco.size, 6);
    for (const [index, values] of file.draco) {
      const plain = file.components(index, false);
      assert.equal(values.length, plain.length);
      values.forEach((value, i) => assert.ok(Math.abs(value - plain[i]) < 5e-3, `accessor ${index}, ${value} for ${plain[i]}`));
    }
  });
}

const near = (actual, expected) => {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-6, `${Array.from(actual)} instead of ${expected}`));
};

async function checkEvaluator(paths) {
  await check('a step holds, a line is straight, a spline follows its tangents', () => {
    const times = [1, 3];
    near(sampleTrack(times, Float64Array.from([5, 7]), 'STEP', 1, false, 2.9), [5]);
    near(sampleTrack(times, Float64Array.from([5, 7]), 'STEP', 1, false, 3), [7]);
    near(sampleTrack(times, Float64Array.from([5, 7]), 'LINEAR', 1, false, 1.5), [5.5]);
    near(sampleTrack(times, Float64Array.from([5, 7]), 'LINEAR', 1, false, 0), [5]);
    // x(t) = t³ has the slopes 3 and 27 at 1 and 3.
    near(sampleTrack(times, Float64Array.from([0, 1, 3, 27, 27, 0]), 'CUBICSPLINE', 1, false, 2), [8]);
  });
  await check('rotations take the short way round', () => {
    const values = Float64Array.from([...turn([0, 0, 1], 0), ...turn([0, 0, 1], 1).map(value => -value)]);
    near(sampleTrack([0, 1], values, 'LINEAR', 4, true, 0.25), turn([0, 0, 1], 0.25));
  });
  await check('skinning, by hand', async () => {
    // Joint 0 at rest, joint 1 bound at y = 1 and turned by 90° about z. A vertex at (0, 2, 0), half and half, with weights
    // that sum to 0.5, morphed by (1, 0, 0) times 2: from (2, 2, 0) one joint gives (2, 2, 0), the other (−1, 3, 0).
    const b = new Builder({scene: 0});
    b.add('nodes', {children: [1]});
    b.add('nodes', {translation: [0, 1, 0], rotation: turn([0, 0, 1], Math.PI / 2)});
    const binds = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1];
    const skin = b.add('skins', {joints: [0, 1], inverseBindMatrices: b.accessor(binds, FLOAT, 'MAT4')});
    const attributes = {
      POSITION: b.positions([0, 2, 0, 0, 2, 0]),
      JOINTS_0: b.accessor([0, 1, 0, 0, 1, 0, 0, 0], U8, 'VEC4'),
      WEIGHTS_0: b.accessor([0.25, 0.25, 0, 0, 0, 0, 0, 0], FLOAT, 'VEC4'),
    };
    const primitive = {mode: 0, attributes, targets: [{POSITION: b.positions([1, 0, 0, 1, 0, 0])}]};
    b.add('nodes', {mesh: b.add('meshes', {primitives: [primitive], weights: [9]}), skin, weights: [2], translation: [5, 5, 5]});
    b.add('scenes', {nodes: [0, 2]});
    const path = join(folder, 'by_hand.glb');
    b.glb(path);
    const evaluator = await Evaluator.open(path);
    const [block] = evaluator.blocks();
    const positions = evaluator.positions(block, evaluator.pose('rest'));
    near(positions.slice(0, 3), [0.5, 2.5, 0]);
    assert.ok(Number.isNaN(positions[3]), 'a vertex without weights is left out');
  });
  const path = paths.find(name => name.endsWith('skins.glb'));
  const dump = join(folder, 'skins.bin');
  const evaluator = await Evaluator.open(path);
  const write = (change = () => {}) => {
    const blocks = evaluator.poses().flatMap(name => {
      const pose = evaluator.pose(name);
      return evaluator.blocks().map(block => ({...block, pose: name, positions: evaluator.positions(block, pose)}));
    });
    writeDump(dump, change(blocks) ?? blocks);
  };
  await check('a dump reads as it was written', async () => {
    write();
    assert.equal(readDump(dump).length, evaluator.poses().length * evaluator.blocks().length);
    assert.deepEqual((await comparePositions(path, dump)).problems, []);
  });
  await check('one vertex that is off is found', async () => {
    write(blocks => { blocks[3].positions[4] += 1e-4; });
    assert.equal((await comparePositions(path, dump)).problems.length, 1);
  });
  await check('NaN is found', async () => {
    write(blocks => { blocks[3].positions[4] = NaN; });
    assert.equal((await comparePositions(path, dump)).problems.length, 1);
  });
  await check('a missing block and a missing pose are found', async () => {
    write(blocks => blocks.slice(1));
    assert.equal((await comparePositions(path, dump)).problems.length, 1);
    write(blocks => blocks.filter(block => block.pose === 'rest'));
    assert.equal((await comparePositions(path, dump)).problems.length, 3);
  });
}

async function checkValidator(paths) {
  await check('a new error is found, an old one forgiven', async () => {
    const path = paths.find(name => name.endsWith('skins.glb'));
    const bad = join(folder, 'bad.glb');
    await relayout(path, bad, ({json}) => { json.skins[0].skeleton = 99; });
    assert.equal((await compareValidity(bad, path)).added.length, 1);
    assert.equal((await compareValidity(bad, bad)).added.length, 0);
    assert.equal((await compareValidity(path)).added.length, 0);
  });
}

mkdirSync(folder, {recursive: true});
const paths = await makeFixtures(join(folder, 'fixtures'));
assert.ok(paths.length > 20 && paths.every(path => existsSync(path)));
await checkReader(paths);
await checkEvaluator(paths);
await checkValidator(paths);
await checkComparison(paths);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
