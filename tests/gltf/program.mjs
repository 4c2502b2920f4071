// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What the tests that run the program share.

import {spawnSync} from 'node:child_process';

/** Options of a test's command line. Throws if one is unknown, or the program is not named. */
export function parse(argv) {
  const options = {};
  for (let i = 0; i < argv.length; i += 2) {
    if (!['--sinew', '--positions', '--work', '--data', '--only'].includes(argv[i]) || argv[i + 1] === undefined) {
      throw new Error(`unknown or unfinished option ${argv[i]}`);
    }
    options[argv[i].slice(2)] = argv[i + 1];
  }
  if (!options.sinew) throw new Error('--sinew PROGRAM is missing');
  return options;
}

/** Runs the program; returns what it prints. Throws unless it exits with 0. */
export function sinew(program, ...args) {
  const {status, signal, stdout, stderr} = spawnSync(program, args, {encoding: 'utf8', timeout: 300000, maxBuffer: 1 << 26});
  if (status !== 0) throw new Error(`sinew ${args.join(' ')}: exit ${signal ?? status}: ${(stderr ?? '').trim()}`);
  return stdout;
}
