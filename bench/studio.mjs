// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node bench/studio.mjs --sinew PROGRAM [--chromium BROWSER] [--size 640x480] [--seconds 8] FILE…
//
// Plays a clip of each character in the studio, in Chromium without a graphics card, and prints what arrives and what is
// drawn in a second, the time of a frame in the program, and the processor time of program and browser per drawn frame,
// which other work on the machine changes least. `--size` is that of the picture, without panels. Needs the packages of
// tests/browser (`node tests/browser/install.mjs`).

import {readFileSync, readdirSync} from 'node:fs';
import {basename} from 'node:path';
import {startBrowser, startStudio, until, value} from '../tests/browser/studio.mjs';

const words = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
};
const program = option('--sinew');
const chromium = option('--chromium', '/usr/bin/chromium');
const [width, height] = option('--size', '640x480').split('x').map(Number);
const seconds = Number(option('--seconds', '8'));

/** Processor time of a process and all below it, in seconds. */
function cpuOf(root) {
  const parents = new Map();
  const times = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), Number(fields[1]));
      times.set(Number(name), (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {
      // It has ended meanwhile.
    }
  }
  let sum = 0;
  for (const [id, time] of times) {
    let at = id;
    while (at !== undefined && at !== root) at = parents.get(at);
    if (at === root) sum += time;
  }
  return sum;
}

const studio = startStudio(program, words, {env: {...process.env, XDG_STATE_HOME: '/nonexistent'}});
const address = await studio.ready;
const browser = await startBrowser(chromium);
const context = await browser.newContext({viewport: {width: 1280, height: 720}});
const page = await context.newPage();
await page.goto(address);
await until(page, (store) => store.scene.value !== null);
// The picture has the wanted size if the window is larger by its panels.
const canvas = await page.evaluate(() => {
  const box = document.querySelector('.canvas').getBoundingClientRect();
  return {width: box.width, height: box.height};
});
await page.setViewportSize({width: Math.round(1280 + width - canvas.width), height: Math.round(720 + height - canvas.height)});
console.log('| character | vertices | updates/s | drawn/s | program, ms a frame | processor ms a frame: program | browser |');
console.log('|---|---|---|---|---|---|---|');
for (let i = 0; i < words.length; ++i) {
  const name = basename(words[i]);
  if (i > 0) await page.evaluate((file) => window.sinewStudio.app.run('open', {file}), i);
  await until(page, (store, app, wanted) => store.input.value === wanted && store.job.value === null && store.duration.value > 0, name, 600000);
  await until(page, (store) => store.items.value !== null, null, 600000).catch(() => undefined);
  await page.evaluate(() => (window.sinewStudio.store.playing.value = true));
  await page.waitForTimeout(3000);
  const count = () => page.evaluate(() => ({...window.sinewStudio.app.totals, now: performance.now()}));
  const cpu = () => [cpuOf(studio.child.pid), cpuOf(process.pid)];
  const [before, [program0, all0]] = [await count(), cpu()];
  await page.waitForTimeout(1000 * seconds);
  const [after, [program1, all1]] = [await count(), cpu()];
  const time = (after.now - before.now) / 1000;
  const frames = after.drawn - before.drawn;
  const own = program1 - program0;
  const figures = [(after.updates - before.updates) / time, frames / time, (after.micros - before.micros) / Math.max(1, after.updates - before.updates) / 1000,
    (1000 * own) / frames, (1000 * (all1 - all0 - own)) / frames];
  console.log(`| ${name} | ${(await value(page, 'scene')).vertices} | ${figures.map((figure) => figure.toFixed(2)).join(' | ')} |`);
}
await browser.close();
await studio.stop();
