// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node validate.mjs OUT [--against IN]
//
// Runs Khronos' validator. Without --against any error fails; with it only an error that IN does not have, or has fewer
// times, counted by code. Exit code 1 when OUT is worse.

import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, dirname, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';

const validator = createRequire(import.meta.url)('gltf-validator');

/** The validator's report on one file, external resources included. */
export async function validateFile(path) {
  return validator.validateBytes(new Uint8Array(readFileSync(path)), {
    uri: basename(path),
    maxIssues: 0,
    externalResourceFunction: async uri => new Uint8Array(readFileSync(resolve(dirname(path), decodeURIComponent(uri)))),
  });
}

function countErrors(report) {
  const counts = new Map();
  for (const {code, severity} of report.issues.messages) {
    if (severity === 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

/** Errors of OUT that IN does not have: {added: [sentences], before, after} with the validator's reports. */
export async function compareValidity(out, against) {
  const after = await validateFile(out);
  const before = against ? await validateFile(against) : undefined;
  const known = before ? countErrors(before) : new Map();
  const added = [];
  for (const [code, count] of countErrors(after)) {
    const old = known.get(code) ?? 0;
    if (count <= old) continue;
    const example = after.issues.messages.find(message => message.code === code && message.severity === 0);
    added.push(`${code}: ${old} before, ${count} now, such as ${example.pointer ?? 'the file'}: ${example.message}`);
  }
  return {added, before, after};
}

const summary = ({issues}) =>
    `${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} infos, ${issues.numHints} hints`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, flag, against] = process.argv.slice(2);
  if (!out || (flag && (flag !== '--against' || !against))) {
    console.error('usage: node validate.mjs OUT [--against IN]');
    process.exit(2);
  }
  const {added, before, after} = await compareValidity(out, against);
  if (before) console.log(`${against}: ${summary(before)}`);
  console.log(`${out}: ${summary(after)}`);
  for (const line of added) console.log(`new error ${line}`);
  process.exit(added.length ? 1 : 0);
}
