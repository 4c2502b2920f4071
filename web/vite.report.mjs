// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The script of the page that `sinew report` writes.

import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const licence = (name) => readFileSync(new URL(`./node_modules/${name}/LICENSE`, import.meta.url), 'utf8').trim();

export default defineConfig({
  logLevel: 'warn',
  build: {
    target: 'es2022',
    emptyOutDir: true,
    lib: { entry: 'src/report/report.ts', formats: ['iife'], name: 'sinewReport', fileName: () => 'report.js' },
    rollupOptions: { output: { banner: `/*!\nThis script contains three.js, meshoptimizer's decoder and uPlot, all under the MIT licence:\n\n${licence('three')}\n\n${licence('uplot')}\n*/` } },
  },
});
