// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node studio_test.mjs --sinew PROGRAM --chromium BROWSER --work FOLDER [--only NAME]
//
// Uses the studio as a person does, in Chromium without a graphics card. Each scenario states what must hold. Pictures of
// the screens stay in the work folder.

import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import http from 'node:http';
import {join} from 'node:path';
import {openStudio, workFolder} from './scenarios.mjs';
import {until, value} from './studio.mjs';

const {program, work, sinew} = workFolder('studio');
const {address, context, page, shot, idle, settle, upload: uploadBy, exported, run} = await openStudio(program, work);
const upload = (...files) => uploadBy('Open…', ...files);
const port = Number(new URL(address).port);
const token = new URL(address).hash.slice(1);
const requests = [];
page.on('request', (request) => requests.push(request.url()));

const status = (options, body) => new Promise((done) => {
  const request = http.request({host: '127.0.0.1', port, ...options}, (answer) => {
    answer.resume();
    done(answer.statusCode);
  });
  request.on('error', () => done(0));
  request.end(body);
});

const scenarios = {
  async 'the first screen moves by itself'() {
    await page.goto(address);
    await until(page, (store, app) => new Set(app.frames).size >= 20, null, 20000);
    assert.equal(await page.evaluate(() => location.hash), '', 'the secret does not stay in the address');
    await shot('first');
  },

  async 'strangers get nothing'() {
    const host = `127.0.0.1:${port}`;
    const socket = {Host: host, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA=='};
    const origin = `http://${host}`;
    const good = `sinew, ${token}`;
    assert.equal(await status({path: '/socket', headers: {...socket, Origin: origin, 'Sec-WebSocket-Protocol': `sinew, ${'0'.repeat(64)}`}}), 403);
    assert.equal(await status({path: '/socket', headers: {...socket, Origin: 'http://evil.example', 'Sec-WebSocket-Protocol': good}}), 403);
    assert.equal(await status({path: '/', headers: {Host: `evil.example:${port}`}}), 403);
    assert.equal(await status({path: '/blob/1', headers: {Host: host}}), 403);
    assert.equal(await status({path: '/../../etc/passwd', headers: {Host: host}}), 404);
    assert.equal(await status({method: 'PUT', path: '/upload?name=a.obj', headers: {Host: host, Origin: origin}}, 'x'), 403);
    assert.equal(await status({path: '/', headers: {Host: host, Filler: 'x'.repeat(9000)}}), 431);
    assert.equal(await status({path: '/', headers: {Host: host}}), 200);
  },

  async 'a bare mesh is rigged at once and walks'() {
    sinew('make', 'human', '-o', 'person.obj', '--vertices', '4000', '--force');
    await upload(join(work, 'person.obj'), join(work, 'person.mtl'));
    await until(page, (store) => store.input.value === 'person.obj' && store.scene.value.rigged && store.duration.value > 0);
    const before = await page.evaluate(() => window.sinewStudio.app.frames.length);
    await until(page, (store, app, from) => new Set(app.frames.slice(from)).size >= 10, before, 20000);
    await until(page, (store) => store.items.value !== null);
    await shot('rigged');
  },

  async 'a pose by the rings is what the library computes'() {
    await page.keyboard.press('p');
    const joint = await page.evaluate(() => {
      const {store} = window.sinewStudio;
      const at = store.scene.value.joints.findIndex((j) => j.role === 'left_forearm' || /Left.*(Fore|Lower)Arm/i.test(j.name));
      store.chosen.value = at;
      return at;
    });
    assert.ok(joint >= 0);
    await until(page, (store, app) => app.view.gizmo.group.visible);
    const middle = await page.evaluate(() => {
      const {app} = window.sinewStudio;
      app.focus();
      return null;
    });
    assert.equal(middle, null);
    await settle(400);
    const spot = await page.evaluate(() => {
      const {app} = window.sinewStudio;
      const box = app.view.renderer.domElement.getBoundingClientRect();
      const at = app.view.project(app.view.gizmo.middle);
      // A place where the pointer finds a ring.
      for (let r = 50; r < 110; r += 2)
        for (let a = 0; a < 6.28; a += 0.1) {
          const x = at.x + r * Math.cos(a), y = at.y + r * Math.sin(a);
          const handle = app.view.gizmo.pick(x, y, app.view.project);
          if (handle === 'x' || handle === 'z') return {x: box.left + x, y: box.top + y, mx: box.left + at.x, my: box.top + at.y};
        }
      return null;
    });
    assert.ok(spot, 'a ring can be picked');
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + 30, spot.y + 40, {steps: 5});
    await page.mouse.move(spot.x + 40, spot.y + 80, {steps: 5});
    await page.mouse.up();
    await until(page, (store) => Object.keys(store.pose.value.joints ?? {}).length === 1);
    await settle(500);
    await shot('posed');
    const shown = await page.evaluate(() => {
      const {app} = window.sinewStudio;
      const skin = app.view.skins[0];
      const positions = [];
      skin.sources.forEach((v, r) => (positions[v] = [...skin.positions.slice(3 * r, 3 * r + 3)]));
      return positions;
    });
    await page.getByRole('tab', {name: 'Deliver'}).click();
    await page.keyboard.press('p');
    const pose = await exported('Save pose');
    await page.getByRole('tab', {name: 'Deliver'}).click();
    const file = await exported('Export GLB');
    sinew('deform', file, '--pose', pose, '-o', 'posed.obj', '--force');
    const lines = readFileSync(join(work, 'posed.obj'), 'utf8').split('\n').filter((line) => line.startsWith('v '));
    const known = new Map();
    let worst = 0;
    const computed = lines.map((line) => line.slice(2).trim().split(/\s+/).slice(0, 3).map(Number));
    // The file splits vertices at seams; positions are compared as sets.
    const cell = (p) => p.map((x) => Math.round(1000 * x)).join();
    for (const p of computed) known.set(cell(p), [...(known.get(cell(p)) ?? []), p]);
    for (const p of shown) {
      let best = Infinity;
      for (let d = 0; d < 27; ++d) {
        const key = [d % 3 - 1, Math.floor(d / 3) % 3 - 1, Math.floor(d / 9) - 1].map((s, k) => Math.round(1000 * p[k]) + s).join();
        for (const q of known.get(key) ?? []) best = Math.min(best, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
      }
      worst = Math.max(worst, best);
    }
    assert.ok(worst < 2e-6, `vertices are ${worst} m from those of sinew deform`);
  },

  async 'one undo takes one action back'() {
    const before = await value(page, 'history');
    await page.keyboard.press('Control+z');
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor - 1, before.cursor);
    assert.deepEqual((await value(page, 'pose')).joints ?? {}, {});
    await page.keyboard.press('Control+Shift+Z');
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor, before.cursor);
  },

  async 'pulling a hand reaches the pointer'() {
    await page.keyboard.press('p');
    await page.evaluate(() => window.sinewStudio.app.run('pose', {edit: {kind: 'reset'}}));
    await settle(1200);
    const reach = await page.evaluate(async () => {
      const {app, store} = window.sinewStudio;
      const joint = store.scene.value.joints.findIndex((j) => j.role === 'left_hand' || /Left.?Hand$/i.test(j.name));
      store.chosen.value = joint;
      const place = app.view.bones.places[joint].clone();
      const base = app.view.bones.places[store.scene.value.joints[store.scene.value.joints[joint].parent].parent];
      const target = [0.75 * place.x + 0.25 * base.x, 0.75 * place.y + 0.25 * base.y, 0.75 * place.z + 0.25 * base.z + 0.1];
      await app.run('pose', {edit: {kind: 'ik', joint, target}});
      app.want();
      await new Promise((done) => setTimeout(done, 1500));
      const now = app.view.bones.places[joint];
      return Math.hypot(now.x - target[0], now.y - target[1], now.z - target[2]);
    });
    assert.ok(reach < 1e-3, `the hand is ${reach} m away`);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await idle();
  },

  async 'weights are shown, painted and undone'() {
    await page.keyboard.press('w');
    await page.evaluate(() => {
      const {app, store} = window.sinewStudio;
      store.chosen.value = store.scene.value.joints.findIndex((j) => /Left.*(Fore|Lower)Arm/i.test(j.name));
      app.choose(-1);
      app.view.frameAll();
    });
    await settle(700);
    await shot('weights');
    const before = await value(page, 'history');
    await page.keyboard.press('b');
    const spot = await page.evaluate(() => {
      const {app, store} = window.sinewStudio;
      const box = app.view.renderer.domElement.getBoundingClientRect();
      const at = app.view.project(app.view.bones.places[store.chosen.value]);
      return {x: box.left + at.x, y: box.top + at.y};
    });
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + 8, spot.y + 8, {steps: 4});
    await page.mouse.up();
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor + 1, before.cursor);
    await idle();
    await shot('painted');
    await page.keyboard.press('b');
  },

  async 'a joint that is moved is a hint, and the rig is made again'() {
    await page.keyboard.press('j');
    const steps = (await value(page, 'recipe')).length;
    const spot = await page.evaluate(async () => {
      const {app, store} = window.sinewStudio;
      const joint = store.scene.value.joints.findIndex((j) => /Left.*(Fore|Lower)Arm/i.test(j.name));
      store.chosen.value = joint;
      app.view.view([0, 0, 1]);
      await new Promise((done) => setTimeout(done, 800));
      const box = app.view.renderer.domElement.getBoundingClientRect();
      const at = app.view.project(app.view.bones.places[joint]);
      const parent = app.view.project(app.view.bones.places[store.scene.value.joints[joint].parent]);
      return {x: box.left + at.x, y: box.top + at.y, dx: 0.12 * (parent.x - at.x), dy: 0.12 * (parent.y - at.y)};
    });
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + spot.dx, spot.y + spot.dy, {steps: 6});
    await settle(600);
    await shot('joint');
    await page.mouse.up();
    await until(page, (store, app, count) => store.recipe.value.length === count + 1, steps);
    await idle();
    const last = (await value(page, 'recipe')).at(-1);
    assert.equal(last.do, 'joints');
    assert.equal(await value(page, 'error'), '');
  },

  async 'the recipe repeats everything with the same bytes'() {
    await page.getByRole('tab', {name: 'Deliver'}).click();
    const here = readFileSync(await exported('Export GLB'));
    const recipe = await exported('Recipe');
    await shot('deliver');
    sinew('rig', 'person.obj', '--session', recipe, '-o', 'again.glb', '--force');
    assert.ok(here.equals(readFileSync(join(work, 'again.glb'))), 'the files differ');
  },

  async 'what is exported is valid glTF'() {
    const validator = createRequire(join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../gltf/package.json'))('gltf-validator');
    const report = await validator.validateBytes(new Uint8Array(readFileSync(join(work, 'again.glb'))));
    assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages));
    assert.equal(report.issues.numWarnings, 0, JSON.stringify(report.issues.messages));
  },

  async 'two deformers stand side by side'() {
    await page.keyboard.press('c');
    await page.evaluate(() => window.sinewStudio.app.run('show', {slot: 1, method: 'dqs'}));
    await until(page, (store, app) => store.methods.value[1] === 'dqs' && app.view.skins[1].mesh.visible !== undefined);
    await page.evaluate(() => {
      const {app, store} = window.sinewStudio;
      app.choose(store.scene.value.clips.findIndex((clip) => clip.name === 'walk'));
      store.playing.value = true;
    });
    await settle(1200);
    await shot('compare');
  },

  async 'a second tab watches, and may take over'() {
    const other = await context.newPage();
    await other.goto(address);
    await until(other, (store) => store.scene.value !== null);
    assert.equal(await value(other, 'editor'), false);
    assert.equal(await other.evaluate(() => window.sinewStudio.app.run('undo')), false);
    assert.deepEqual(await value(other, 'recipe'), await value(page, 'recipe'));
    await other.getByRole('button', {name: 'Take over'}).click();
    await until(other, (store) => store.editor.value === true);
    await other.close();
    await until(page, (store) => store.editor.value === true);
  },

  async 'names from files are text'() {
    const name = '<img src=x onerror="window.hacked=1">';
    sinew('make', 'human', '-o', 'named.glb', '--vertices', '1000', '--force');
    const bytes = readFileSync(join(work, 'named.glb'));
    const length = bytes.readUInt32LE(12);
    const document = JSON.parse(bytes.subarray(20, 20 + length).toString());
    document.nodes.forEach((node, i) => (node.name = `${name}${i}`));
    let text = JSON.stringify(document);
    while (Buffer.byteLength(text) % 4) text += ' ';
    const head = Buffer.alloc(20);
    head.write('glTF');
    head.writeUInt32LE(2, 4);
    head.writeUInt32LE(20 + Buffer.byteLength(text) + bytes.length - 20 - length, 8);
    head.writeUInt32LE(Buffer.byteLength(text), 12);
    head.write('JSON', 16);
    writeFileSync(join(work, 'named.glb'), Buffer.concat([head, Buffer.from(text), bytes.subarray(20 + length)]));
    requests.length = 0;
    await upload(join(work, 'named.glb'));
    await until(page, (store) => store.input.value === 'named.glb');
    await settle(300);
    assert.equal(await page.locator('img').count(), 0);
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.ok((await page.locator('.outliner').textContent()).includes('<img src=x'));
    assert.ok(requests.every((url) => url.startsWith(`http://127.0.0.1:${port}/`) || url.startsWith('blob:')), requests.join());
  },

  async 'a file that cannot be read gives a sentence, and the character stays'() {
    writeFileSync(join(work, 'broken.glb'), 'no model');
    await upload(join(work, 'broken.glb'));
    await until(page, (store) => store.error.value !== '');
    assert.equal(await value(page, 'input'), 'named.glb');
    await page.keyboard.press('Escape');
  },

  async 'bad messages close the socket, and the page connects again'() {
    await page.evaluate(() => {
      for (let i = 0; i < 3; ++i) window.sinewStudio.app.link.socket.send('{"t":');
    });
    await until(page, (store) => store.connected.value === false, null, 5000).catch(() => undefined);
    await until(page, (store) => store.connected.value === true && store.scene.value !== null, null, 10000);
  },

  async 'the light theme is readable'() {
    await page.emulateMedia({colorScheme: 'light'});
    await until(page, (store) => store.theme.value === 'light');
    await settle(400);
    await shot('light');
  },
};

await run(scenarios);
