// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// The script and the style of the studio.

import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const licence = (name) => readFileSync(new URL(`./node_modules/${name}/LICENSE`, import.meta.url), 'utf8').trim();

export default defineConfig({
  logLevel: 'warn',
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2022',
    emptyOutDir: true,
    lib: { entry: 'src/studio/main.tsx', formats: ['iife'], name: 'sinewStudio', fileName: () => 'studio.js', cssFileName: 'studio' },
    rollupOptions: {
      output: {
        banner: `/*!\nThis script contains three.js, Preact, Preact Signals and uPlot:\n\n${licence('three')}\n\n${licence('preact')}\n\n${licence('@preact/signals')}\n\n${licence('uplot')}\n*/`,
      },
    },
  },
});
