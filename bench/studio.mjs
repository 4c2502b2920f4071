// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node bench/studio.mjs --sinew PROGRAM [--chromium BROWSER] [--size 640x480] [--seconds 8] [--patience 300] FILE…
//
// Plays a clip of each character in the studio, in Chromium without a graphics card, and prints what arrives and what is
// drawn in a second, the time of a frame in the program, and the processor time of program and browser per drawn frame,
// which other work on the machine changes least. `--size` is that of the picture, without panels; checks that run beside are
// waited for up to `--patience` seconds. Needs the packages of tests/browser (`node tests/browser/install.mjs`).

import {readFileSync, readdirSync} from 'node:fs';
import {basename} from 'node:path';
import {startStudio} from '../tests/browser/studio.mjs';
import {openPlainPage} from './plain_browser.mjs';

const words = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
};
const program = option('--sinew');
const chromium = option('--chromium', '/usr/bin/chromium');
const [width, height] = option('--size', '640x480').split('x').map(Number);
const seconds = Number(option('--seconds', '8'));
const patience = Number(option('--patience', '300'));

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

const wait = (time) => new Promise((done) => setTimeout(done, 1000 * time));
console.log('| character | vertices | updates/s | drawn/s | program, ms a frame | processor ms a frame: program | browser |');
console.log('|---|---|---|---|---|---|---|');
for (const file of words) {
  // One studio for each: a studio with several files grades all of them beside.
  const studio = startStudio(program, [file], {env: {...process.env, XDG_STATE_HOME: '/nonexistent'}});
  const page = await openPlainPage(chromium, await studio.ready, {width: 1280, height: 720});
  await page.until((store) => store.scene.value !== null);
  // The picture has the wanted size if the window is larger by its panels.
  const canvas = await page.evaluate("(({width, height}) => ({width, height}))(document.querySelector('.canvas').getBoundingClientRect())");
  await page.size(Math.round(1280 + width - canvas.width), Math.round(720 + height - canvas.height));
  const name = basename(file);
  await page.until(`(store) => store.input.value === ${JSON.stringify(name)} && store.job.value === null && store.duration.value > 0`, 600000);
  await page.until('(store) => store.verdict.value !== ""', 1000 * patience).catch(() => console.error(`${name}: is still being checked`));
  await page.evaluate('window.sinewStudio.store.playing.value = true');
  await wait(3);
  const count = () => page.evaluate('({...window.sinewStudio.app.totals, now: performance.now()})');
  const cpu = () => [cpuOf(studio.child.pid), cpuOf(page.child.pid)];
  const [before, [program0, browser0]] = [await count(), cpu()];
  await wait(seconds);
  const [after, [program1, browser1]] = [await count(), cpu()];
  const time = (after.now - before.now) / 1000;
  const frames = after.drawn - before.drawn;
  const updates = after.updates - before.updates;
  const figures = [updates / time, frames / time, (after.micros - before.micros) / Math.max(1, updates) / 1000,
    (1000 * (program1 - program0)) / frames, (1000 * (browser1 - browser0)) / frames];
  const vertices = await page.evaluate('window.sinewStudio.store.scene.value.vertices');
  console.log(`| ${name} | ${vertices} | ${figures.map((figure) => figure.toFixed(2)).join(' | ')} |`);
  await page.close();
  await studio.stop();
}
