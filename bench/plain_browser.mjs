// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// A browser for measuring. Playwright listens to all traffic of a page, and so copies every frame that the studio sends to
// its own process; here nothing but expressions is asked of the page, as if a person had opened it.

import {spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** Starts Chromium with a page of this size at an address. `evaluate` gives the value of an expression in it. */
export async function openPlainPage(program, address, {width, height}) {
  const profile = mkdtempSync(join(tmpdir(), 'sinew-bench-'));
  const child = spawn(program, ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic',
    '--remote-debugging-pipe', `--user-data-dir=${profile}`, `--window-size=${width},${height}`, 'about:blank'],
  {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
  const waiting = new Map();
  let next = 1;
  let rest = '';
  child.stdio[4].on('data', (data) => {
    const parts = (rest + data).split('\0');
    rest = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      const asked = waiting.get(message.id);
      if (!asked) continue;
      waiting.delete(message.id);
      if (message.error) asked.failed(new Error(message.error.message));
      else asked.done(message.result);
    }
  });
  const send = (method, params = {}, sessionId) => new Promise((done, failed) => {
    waiting.set(next, {done, failed});
    child.stdio[3].write(JSON.stringify({id: next++, method, params, sessionId}) + '\0');
  });
  const {targetId} = await send('Target.createTarget', {url: 'about:blank'});
  const {sessionId} = await send('Target.attachToTarget', {targetId, flatten: true});
  const size = (w, h) => send('Emulation.setDeviceMetricsOverride', {width: w, height: h, deviceScaleFactor: 1, mobile: false}, sessionId);
  const evaluate = async (expression) => {
    const {result, exceptionDetails} = await send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true}, sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await size(width, height);
  await send('Page.navigate', {url: address}, sessionId);
  const until = async (condition, timeout = 60000) => {
    const end = Date.now() + timeout;
    while (!(await evaluate(`!!window.sinewStudio && !!(${condition})(window.sinewStudio.store)`))) {
      if (Date.now() > end) throw new Error(`This did not come true in ${timeout / 1000} s: ${condition}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const close = () => new Promise((done) => {
    child.on('exit', () => {
      rmSync(profile, {recursive: true, force: true, maxRetries: 5});
      done();
    });
    send('Browser.close').catch(() => undefined);
  });
  return {evaluate, until, size, close, child};
}
