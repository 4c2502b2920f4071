// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node make_fixtures.mjs FOLDER
//
// Writes small glTF files that together have every feature Sinew promises to keep, the same bytes every time, and checks each
// with Khronos' validator. Exit code 1 if one has an error that is not meant to be there.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import * as data from './fixtures_data.mjs';
import * as documents from './fixtures_document.mjs';
import * as rig from './fixtures_rig.mjs';
import {validateFile} from './validate.mjs';

const FIXTURES = {
  'skins.glb': rig.skins,
  'joint_sets.glb': rig.jointSets,
  'interpolations.glb': rig.interpolations,
  'matrices.glb': rig.matrices,
  'shear.glb': rig.shear,
  'morphs.glb': rig.morphs,
  'accessors.gltf': data.accessors,
  'sparse.glb': data.sparse,
  'interleaved.glb': data.interleaved,
  'quantized.glb': data.quantized,
  'meshopt.glb': path => data.meshopt(path, false),
  'meshopt_fallback.gltf': path => data.meshopt(path, true),
  'draco.glb': path => data.draco(path, false),
  'draco_fallback.glb': path => data.draco(path, true),
  'external.gltf': data.external,
  'mixed.glb': data.mixed,
  'chunks.glb': data.chunks,
  'minimal.gltf': data.minimal,
  'bare.glb': data.bare,
  'sceneless.glb': data.sceneless,
  'modes.glb': documents.modes,
  'ngons.glb': documents.ngons,
  'shared.glb': documents.shared,
  'extensions.glb': documents.extensions,
  'vrm0.vrm': documents.vrm0,
  'vrm1.vrm': documents.vrm1,
};

/** Errors the validator must report: what the fixture is there to show. */
export const MEANT = {'shear.glb': ['NODE_MATRIX_NON_TRS']};

/** Writes all fixtures and returns their paths. */
export async function makeFixtures(folder) {
  mkdirSync(folder, {recursive: true});
  const paths = [];
  for (const [name, make] of Object.entries(FIXTURES)) {
    const path = join(folder, name);
    await make(path);
    paths.push(path);
  }
  return paths;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (!folder) {
    console.error('usage: node make_fixtures.mjs FOLDER');
    process.exit(2);
  }
  let failures = 0;
  for (const path of await makeFixtures(folder)) {
    const report = await validateFile(path);
    const meant = MEANT[path.split('/').pop()] ?? [];
    const errors = report.issues.messages.filter(({severity, code}) => severity === 0 && !meant.includes(code));
    console.log(`${path}: ${errors.length} errors, ${report.issues.numWarnings} warnings`);
    for (const {code, pointer, message} of errors.slice(0, 5)) console.log(`  ${code} ${pointer ?? ''} ${message}`);
    failures += errors.length;
  }
  process.exit(failures ? 1 : 0);
}
