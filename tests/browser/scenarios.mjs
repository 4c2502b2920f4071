// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// What the tests of the studio share: a work folder, the program, a page, and the run of all scenarios.
//
// Command line: --sinew PROGRAM --chromium BROWSER --work FOLDER [--only NAME]

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {startBrowser, startStudio, until, value} from './studio.mjs';

const words = process.argv.slice(2);
const argument = (name) => words.includes(name) ? words[words.indexOf(name) + 1] : undefined;

/** An empty work folder, and a function that runs the program in it. */
export function workFolder(name) {
  const work = join(argument('--work'), name);
  rmSync(work, {recursive: true, force: true});
  mkdirSync(work, {recursive: true});
  const program = argument('--sinew');
  const sinew = (...line) => execFileSync(program, line, {cwd: work, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8'});
  return {program, work, sinew};
}

/** Starts studio and browser; `page` is not at the address yet. */
export async function openStudio(program, work, inputs = []) {
  const studio = startStudio(program, inputs, {cwd: work, env: {...process.env, XDG_STATE_HOME: join(work, 'state')}});
  const address = await studio.ready;
  const browser = await startBrowser(argument('--chromium'));
  const context = await browser.newContext({viewport: {width: 1280, height: 720}, colorScheme: 'dark', acceptDownloads: true});
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && !/status of 4\d\d/.test(message.text()) && problems.push(message.text()));
  const button = (name) => page.getByRole('button', {name, exact: true});
  const shot = (name) => page.screenshot({path: join(work, `${name}.png`)});
  const idle = () => until(page, (store) => store.job.value === null && store.scene.value !== null);

  /** After at least so many milliseconds: everything that was asked for has arrived and is drawn. */
  async function settle(least) {
    await page.waitForTimeout(least);
    try {
      await until(page, (store, app) => app.awaits === '');
    } catch {
      throw new Error(`The page still waits for ${await page.evaluate(() => window.sinewStudio.app.awaits)}.`);
    }
  }

  async function upload(opener, ...files) {
    const chooser = page.waitForEvent('filechooser');
    await button(opener).click();
    await (await chooser).setFiles(files);
  }

  /**
   * What the button saves: of several files (an OBJ and its materials) the one of the format. Others may arrive later, when
   * the next button was pressed already, so every button has an ending that it waits for.
   */
  async function exported(name) {
    const endings = {'Save pose': '.pose.json', Recipe: '.sinew.json', Report: '.html', PNG: '.png'};
    const ending = endings[name] ?? `.${name.replace('Export ', '').toLowerCase()}`;
    const download = page.waitForEvent('download', (file) => file.suggestedFilename().endsWith(ending));
    await button(name).click();
    const file = await download;
    const path = join(work, file.suggestedFilename());
    await file.saveAs(path);
    return path;
  }

  /** Runs all scenarios, or with `--only` those that have the word in their name and the `always` one; then exits. */
  async function run(scenarios, always) {
    const only = argument('--only');
    let failed = 0;
    for (const [name, scenario] of Object.entries(scenarios)) {
      if (only && !name.includes(only) && name !== always) continue;
      const begin = Date.now();
      try {
        await scenario();
        console.log(`ok   ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
      } catch (error) {
        ++failed;
        console.log(`FAIL ${name}: ${error.message.split('\n').slice(0, 6).join(' | ')}`);
        console.log(`     error: ${await value(page, 'error').catch(() => '?')}`);
        await shot(`failed_${failed}`).catch(() => undefined);
      }
    }
    console.log('figures', JSON.stringify(await value(page, 'statistics').catch(() => null)));
    await browser.close();
    assert.equal(await studio.stop(), 0, 'the studio ends when it is told to');
    // eval is what tests use to wait; the page's policy refuses it, and says so.
    const real = problems.filter((text) => !/unsafe-eval|Trusted/.test(text));
    if (real.length) {
      console.log(`FAIL the page has errors: ${real.join('\n')}`);
      ++failed;
    }
    process.exit(failed ? 1 : 0);
  }

  return {address, context, page, button, shot, idle, settle, upload, exported, run};
}
