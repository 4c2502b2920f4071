// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// One classic script, because a page opened from a folder may not load modules. The licence of three.js goes with it.

import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const licence = readFileSync(new URL('./node_modules/three/LICENSE', import.meta.url), 'utf8');

export default defineConfig({
  logLevel: 'warn',
  build: {
    target: 'es2022',
    emptyOutDir: true,
    lib: { entry: 'src/main.ts', formats: ['iife'], name: 'sinewPicture', fileName: () => 'picture.js' },
    rollupOptions: { output: { banner: `/*!\nThis script contains three.js:\n\n${licence.trim()}\n*/` } },
  },
});
