// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node install.mjs
//
// Brings node_modules to what package-lock.json says, and does nothing when it is so already.

import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const stamp = join(folder, 'node_modules', '.installed-lock');
const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  const {status} = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], {cwd: folder, stdio: 'inherit'});
  if (status !== 0) {
    console.error('npm ci failed. The browser checks need the packages of tests/browser/package.json; connect to a registry once and try again.');
    process.exit(1);
  }
  writeFileSync(stamp, lock);
}
