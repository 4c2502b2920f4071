// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node report_test.mjs --sinew PROGRAM --chromium BROWSER --work FOLDER
//
// The page of `sinew report`, opened from disk. One character has HTML in its name. Pictures stay in the work folder.

import assert from 'node:assert/strict';
import {readFileSync, renameSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {workFolder} from './scenarios.mjs';
import {startBrowser} from './studio.mjs';

const {work, sinew} = workFolder('report');
const hostile = '<img src=x onerror=document.title=0>.glb';
sinew('make', 'human', '-o', 'a.glb', '--vertices', '2500');
sinew('make', 'human', '-o', 'b.glb', '--vertices', '2500', '--vary', '1', '--seed', '3');
renameSync(join(work, 'b.glb'), join(work, hostile));
const write = (name, ...more) => {
  const line = JSON.parse(sinew('report', 'a.glb', hostile, '-o', name, '--json', ...more));
  return {line, text: readFileSync(join(work, name), 'utf8')};
};
const {line, text} = write('one.html');

const words = process.argv.slice(2);
const browser = await startBrowser(words[words.indexOf('--chromium') + 1]);
const context = await browser.newContext({viewport: {width: 1280, height: 900}, acceptDownloads: true});
const page = await context.newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));
page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || problems.push(request.url()));
await page.goto(`file://${join(work, 'one.html')}`);
await page.waitForFunction(() => document.body.dataset.ready);

const scenarios = {
  async 'the page shows both characters, and names as text'() {
    assert.match(await page.evaluate(() => document.body.dataset.ready), /^[1-9]\d+$/);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.title(), `a.glb, ${hostile}`);
    assert.equal(await page.locator('.name').nth(1).textContent(), hostile);
  },

  async 'the same files give the same page, with any number of threads'() {
    assert.ok(write('two.html', '--threads', '1').text === text, 'the pages differ');
    const models = statSync(join(work, 'a.glb')).size + statSync(join(work, hostile)).size;
    assert.ok(text.length < 5e6 + 2 * models, `${text.length} bytes`);
  },

  async 'measures are those of sinew measure, and a click shows the frame'() {
    const table = page.locator('table.measures').nth(1);
    const {measures} = line.metrics.files[1];
    assert.match(await table.locator('caption').textContent(), new RegExp(`of ${measures.frames} frames of ${measures.clip},`));
    const row = table.locator('tr', {hasText: 'thinnest section'});
    const {worst, joint, frame} = measures.summary.thinnest_section;
    assert.deepEqual(await row.locator('td').allTextContents().then((cells) => cells.slice(0, 2)), [worst.toFixed(3), joint]);
    const own = JSON.parse(sinew('measure', hostile, '--clip', measures.clip, '--fps', String(measures.fps), '--json')).metrics;
    assert.equal(own.summary.thinnest_section.worst, worst);
    assert.equal(own.summary.volume_loss.worst, measures.summary.volume_loss.worst);
    await row.locator('button').click();
    const time = own.frames.find((one) => one.frame === frame).time_s;
    assert.equal(await page.locator('.time').textContent(), `${time.toFixed(2)} s`);
    assert.equal(await page.locator('.bar select').inputValue(), measures.clip);
  },

  async 'the plot has a line per figure, and a click in it moves clip and marker'() {
    const plot = page.locator('.plot');
    assert.equal(await plot.locator('canvas').count(), 1);
    assert.equal(await plot.locator('option').first().textContent(), 'whole character');
    assert.ok(await plot.locator('option').count() > 10);
    assert.ok((await plot.locator('> span').textContent()).includes(`${hostile} thinnest section`));
    // Pixels of both colours.
    const colours = () => plot.locator('canvas').evaluate((canvas) => {
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      const counts = {'63,182,168': 0, '230,115,16': 0};
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) {
        const key = `${data[i]},${data[i + 1]},${data[i + 2]}`;
        if (key in counts) ++counts[key];
      }
      return Object.values(counts);
    });
    const whole = await colours();
    assert.ok(Math.min(...whole) > 100, whole.join(' '));
    const box = await plot.locator('.u-over').boundingBox();
    const hand = async () => (await plot.locator('.hand').boundingBox())?.x;
    for (const share of [0.25, 0.75]) {
      await page.mouse.click(box.x + share * box.width, box.y + box.height / 2);
      assert.ok(Math.abs(await hand() - box.x - share * box.width) < 2, 'the marker is where the click was');
      const shown = Number(await page.locator('.bar input[type=range]').inputValue());
      assert.ok(Math.abs(shown - share) < 0.02, `${shown} of the clip`);
    }
    await plot.locator('select').selectOption({index: 1});
    assert.notDeepEqual(await colours(), whole, 'another joint has other lines');
    await page.locator('.bar select').selectOption('');
    assert.equal(await plot.locator('.hand').isVisible(), false, 'the rest pose is no frame of the clip');
    await plot.locator('select').selectOption({index: 0});
  },

  async 'a slider wipes between before and after'() {
    await page.keyboard.press('Home');
    const wipe = page.locator('input.wipe');
    assert.equal(await wipe.isVisible(), false);
    await page.getByLabel('before and after', {exact: true}).check();
    const pixels = (share) => page.evaluate((value) => {
      const input = document.querySelector('input.wipe');
      input.value = String(value);
      input.dispatchEvent(new Event('input'));
      const canvas = document.querySelector('.stage > canvas');
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d');
      copy.drawImage(canvas, 0, 0);
      const at = Math.round(value * canvas.clientWidth * canvas.width / canvas.clientWidth);
      return {width: canvas.width, at, data: [...new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer)]};
    }, share);
    const before = await pixels(1), after = await pixels(0);
    const differing = before.data.filter((pixel, i) => pixel !== after.data[i]).length;
    assert.ok(differing > 2000, `before and after differ in ${differing} pixels`);
    for (const share of [0.45, 0.5]) {
      const both = await pixels(share);
      const wrong = both.data.filter((pixel, i) => pixel !== (i % both.width < both.at ? before : after).data[i]).length;
      assert.equal(wrong, 0, `at ${share}`);
    }
    // Dragged by hand it moves, and the camera stays.
    const box = await wipe.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2, {steps: 4});
    await page.mouse.up();
    const value = Number(await wipe.inputValue());
    assert.ok(Math.abs(value - 0.8) < 0.02, `${value}`);
    assert.deepEqual((await pixels(1)).data, before.data, 'the camera moved');
    await pixels(0.5);
    await page.screenshot({path: join(work, 'wipe.png')});
    await page.getByLabel('before and after', {exact: true}).uncheck();
    assert.equal(await wipe.isVisible(), false);
  },

  async 'the report of the run unfolds and is saved'() {
    const run = page.locator('details.run');
    assert.equal(await run.locator('pre').isVisible(), false);
    await run.locator('summary').click();
    const shown = JSON.parse(await run.locator('pre').textContent());
    assert.equal(shown.command, 'report');
    assert.deepEqual(shown.inputs.map((input) => input.path), ['a.glb', hostile]);
    assert.deepEqual(shown.inputs.map((input) => input.sha256), line.inputs.map((input) => input.sha256));
    assert.deepEqual(shown.metrics, line.metrics);
    assert.equal(shown.options.profile, 'game');
    for (const key of ['timing', 'outputs', 'isa']) assert.ok(!(key in shown), key);
    const download = page.waitForEvent('download');
    await run.locator('a').click();
    const file = await download;
    assert.deepEqual(JSON.parse(readFileSync(await file.path(), 'utf8')), shown);
    await run.locator('summary').click();
  },
};

let failed = 0;
for (const [name, scenario] of Object.entries(scenarios)) {
  try {
    await scenario();
    console.log(`ok   ${name}`);
  } catch (error) {
    ++failed;
    console.log(`FAIL ${name}: ${error.message.split('\n').slice(0, 6).join(' | ')}`);
    await page.screenshot({path: join(work, `failed_${failed}.png`)}).catch(() => undefined);
  }
}
await page.screenshot({path: join(work, 'page.png'), fullPage: true});
await browser.close();
if (problems.length) console.log(`FAIL the page has errors: ${problems.join('\n')}`);
process.exit(failed || problems.length ? 1 : 0);
