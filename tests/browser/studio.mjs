// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// Starts the studio and a browser, for tests and for pictures of the documentation.

import {spawn} from 'node:child_process';
import {chromium} from 'playwright-core';

/** Starts `sinew studio`; `address` holds the secret. */
export function startStudio(program, words = [], options = {}) {
  const child = spawn(program, ['studio', '--no-open', ...words], {stdio: ['ignore', 'pipe', 'inherit'], ...options});
  let text = '';
  const ready = new Promise((done, failed) => {
    child.stdout.on('data', (data) => {
      text += data;
      const found = /http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{64}/.exec(text);
      if (found) done(found[0]);
    });
    child.on('exit', (code) => failed(new Error(`The studio ended with ${code}.`)));
  });
  const stop = () => new Promise((done) => {
    child.removeAllListeners('exit');
    child.on('exit', (code) => done(code));
    child.kill('SIGINT');
  });
  return {ready, stop, child};
}

export function startBrowser(executablePath) {
  return chromium.launch({
    executablePath,
    headless: true,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic'],
  });
}

/** What the page holds. */
export const value = (page, name) => page.evaluate((key) => window.sinewStudio.store[key].value, name);

/** Waits until a condition on the page's store holds: a function of the store, the page and an argument. */
export async function until(page, condition, argument, timeout = 60000) {
  const end = Date.now() + timeout;
  const text = `(() => { const s = window.sinewStudio; return !!s && !!(${condition})(s.store, s.app, ${JSON.stringify(argument ?? null)}); })()`;
  while (!(await page.evaluate(text))) {
    if (Date.now() > end) throw new Error(`This did not come true in ${timeout / 1000} s: ${condition}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
