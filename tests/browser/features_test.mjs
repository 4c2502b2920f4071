// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

// node features_test.mjs --sinew PROGRAM --chromium BROWSER --work FOLDER [--only NAME]
//
// Tools of the studio, one by one, on a folder of two made characters. Pictures of the screens stay in the work folder.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {openStudio, workFolder} from './scenarios.mjs';
import {until, value} from './studio.mjs';

const {program, work, sinew} = workFolder('features');
mkdirSync(join(work, 'characters'));
sinew('make', 'human', '-o', 'characters/a.glb', '--vertices', '2500');
sinew('make', 'human', '-o', 'characters/b.obj', '--vertices', '2500');
writeFileSync(join(work, 'characters/broken.glb'), 'no model');
const {address, context, page, button, shot, idle, settle, upload, exported, run} = await openStudio(program, work, ['characters']);
const mode = (name) => page.getByRole('tab', {name}).click();

const choose = (pattern) => page.evaluate((text) => {
  const {store} = window.sinewStudio;
  store.chosen.value = store.scene.value.joints.findIndex((joint) => new RegExp(text, 'i').test(joint.name));
  return store.chosen.value;
}, pattern);

/** Where a joint is on the screen. */
const spotOf = (joint) => page.evaluate((j) => {
  const {app} = window.sinewStudio;
  const box = app.view.renderer.domElement.getBoundingClientRect();
  const at = app.view.project(app.view.bones.places[j]);
  return {x: box.left + at.x, y: box.top + at.y};
}, joint);

const fieldSum = (sign) => page.evaluate((side) => {
  const skin = window.sinewStudio.app.view.skins[0];
  const field = skin.mesh.geometry.attributes.field.array;
  let sum = 0;
  for (let i = 0; i < field.length; ++i) if (Math.sign(skin.positions[3 * i]) === side) sum += Math.max(0, field[i]);
  return sum;
}, sign);

const scenarios = {
  async 'a folder is a list, and keys go through it'() {
    await page.goto(address);
    await until(page, (store) => store.input.value === 'a.glb' && store.scene.value.clips.length > 0);
    await idle();
    assert.deepEqual((await value(page, 'welcome')).files, ['a.glb', 'b.obj', 'broken.glb']);
    assert.equal(await value(page, 'file'), 0);
    await page.locator('canvas').first().focus();
    await page.keyboard.press('PageDown');
    await until(page, (store) => store.input.value === 'b.obj' && store.scene.value.rigged);
    await idle();
    await page.keyboard.press('PageDown');
    await until(page, (store) => store.error.value !== '');
    assert.equal(await value(page, 'input'), 'b.obj', 'a file that cannot be read does not replace the character');
    await page.keyboard.press('Escape');
  },

  async 'files of the folder have the grades of sinew check'() {
    await until(page, (store) => store.grades.value.length === 3 && store.grades.value.every((grade) => !['waiting', 'checking'].includes(grade.state)));
    const grades = await value(page, 'grades');
    assert.deepEqual(grades.map((grade) => grade.state), ['graded', 'bare', 'unreadable']);
    let report;
    try {
      report = sinew('check', 'characters/a.glb', '--json');
    } catch (failure) {
      report = failure.stdout; // Checks that fail end with 1.
    }
    assert.equal(grades[0].verdict, JSON.parse(report).metrics.files[0].verdict);
    assert.ok(grades[2].text.length > 10, 'the reason is given');
    const list = await page.locator('.files li').allInnerTexts();
    assert.ok(list[0].includes(grades[0].verdict) && list[1].includes('no rig') && list[2].includes('unreadable'), list.join(' | '));
    await shot('grades');
    await page.locator('.files li').nth(0).getByRole('button').click();
    await until(page, (store) => store.file.value === 0 && store.input.value === 'a.glb' && store.job.value === null);
    await page.locator('canvas').first().focus();
    await page.keyboard.press('PageDown');
    await until(page, (store) => store.file.value === 1 && store.scene.value.rigged && store.job.value === null);
  },

  async 'the number of fingers is chosen'() {
    await mode('Joints');
    const fingers = () => page.evaluate(() => new Set(window.sinewStudio.store.scene.value.joints.filter((joint) => /_(thumb|index|middle|ring|little)_/.test(joint.role)).map((joint) => joint.role.replace(/_\d$/, ''))).size);
    assert.equal(await fingers(), 10);
    await page.getByLabel('fingers').selectOption('4');
    await page.getByRole('button', {name: 'Rig again', exact: true}).click();
    await until(page, (store) => store.recipe.value.at(-1)?.options?.fingers === '4' && store.job.value === null);
    assert.equal(await fingers(), 8);
    await shot('fingers');
    await mode('Review');
  },

  async 'T and A are poses'() {
    await mode('Pose');
    const drop = async (name) => {
      await button(name).click();
      await until(page, (store, app, label) => store.history.value.labels[store.history.value.cursor] === `${label} pose`, name);
      await settle(400);
      return page.evaluate(() => {
        const {app, store} = window.sinewStudio;
        const height = (text) => app.view.bones.places[store.scene.value.joints.findIndex((j) => new RegExp(text).test(j.name))].y;
        return height('Left.*(UpperArm|Arm)$') - height('Left.*Hand$');
      });
    };
    assert.ok(Math.abs(await drop('T')) < 0.02);
    assert.ok((await drop('A')) > 0.15);
    await shot('a_pose');
  },

  async 'a pose stays in other modes, until the clip plays'() {
    for (const name of ['Compare', 'Weights']) {
      await mode(name);
      assert.equal(await value(page, 'posed'), true, name);
    }
    await page.locator('canvas').first().focus();
    await page.keyboard.press('Space');
    await until(page, (store) => store.plays.value && !store.posed.value);
    await mode('Pose');
  },

  async 'Space presses what Tab has reached, and plays otherwise'() {
    await mode('Weights');
    await page.evaluate(() => window.sinewStudio.app.playNamed('walk'));
    const box = page.getByLabel('Brush (B)');
    assert.equal(await value(page, 'plays'), true);
    await box.click();
    await page.keyboard.press('Space');
    assert.equal(await box.isChecked(), true, 'the box that was clicked stays as it is');
    assert.equal(await value(page, 'plays'), false);
    await box.click();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    assert.equal(await box.isChecked(), true, 'the box that Tab has reached is pressed');
    assert.equal(await value(page, 'plays'), false);
    await page.keyboard.press('Space');
    assert.equal(await box.isChecked(), false);
    await page.locator('canvas').first().focus();
    await page.keyboard.press('Space');
    assert.equal(await value(page, 'plays'), true);
    await mode('Pose');
  },

  async 'the list of joints is a tree, and arrows go through it'() {
    const {joints} = await value(page, 'scene');
    const rows = (await page.locator('.tree .label').allInnerTexts()).map((name) => joints.findIndex((joint) => joint.name === name));
    const path = [];
    for (const row of rows) {
      const above = (joint) => joint < 0 || rows.includes(joint) ? joint : above(joints[joint].parent);
      const parent = above(joints[row].parent);
      while (path.length && path.at(-1) !== parent) path.pop();
      assert.ok(parent < 0 || path.length, `${joints[row].name} does not follow ${joints[parent]?.name}`);
      path.push(row);
    }
    await page.locator('.tree .label').first().focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('ArrowDown');
    assert.equal(await value(page, 'chosen'), rows[3]);
    assert.equal(await page.locator('.tree [tabindex="-1"].label').count(), rows.length - 1, 'Tab stops once in the tree');
  },

  async 'a file is sent with progress, and an error names it as it was dropped'() {
    writeFileSync(join(work, 'picture.glb'), Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(40 << 20)]));
    await page.evaluate(() => {
      window.sent = [];
      window.sinewStudio.store.sending.subscribe((sending) => sending && window.sent.push(`${sending.name} ${sending.fraction}`));
    });
    await upload('Open…', join(work, 'picture.glb'));
    await until(page, (store) => store.error.value !== '');
    assert.equal(await value(page, 'error'), 'picture.glb: It is a PNG picture.');
    assert.equal(await value(page, 'sending'), null);
    const sent = await page.evaluate(() => window.sent);
    assert.equal(sent[0], 'picture.glb 0');
    assert.equal(sent.at(-1), 'picture.glb 1');
    await page.keyboard.press('Escape');
    assert.equal(await value(page, 'error'), '');
    assert.equal(await value(page, 'input'), 'b.obj');
  },

  async 'what is measured of a joint follows the pose'() {
    await until(page, (store) => store.items.value !== null);
    const joint = await choose('Left.*(Fore|Lower)Arm');
    await page.evaluate((j) => window.sinewStudio.app.run('pose', {edit: {kind: 'turn', joint: j, axis: [0, 1, 0], angle: 2}, from_rest: true}), joint);
    await until(page, (store) => store.measures.value[0]?.thinnest > 0 && store.measures.value[0].thinnest < 0.95, null, 15000);
    await page.evaluate(() => window.sinewStudio.app.run('pose', {edit: {kind: 'reset'}}));
    await until(page, (store) => store.measures.value[0]?.thinnest > 0.98, null, 15000);
  },

  async 'figures are plotted over the clip'() {
    await page.evaluate(() => window.sinewStudio.app.playNamed('exercise'));
    await button('Plot').click();
    await until(page, (store) => store.plot.value?.times.length === 49);
    const plot = await value(page, 'plot');
    assert.ok(plot.series[0].thinnest.some((share) => share < 0.99) && plot.series[0].thinnest.every((share) => share <= 1.5));
    await page.waitForSelector('.plot canvas');
    await shot('plot');
    await button('Plot').click();
  },

  async 'a stroke can be mirrored, and one undo takes it back'() {
    await mode('Weights');
    await page.evaluate(() => {
      const {app, store} = window.sinewStudio;
      app.choose(-1);
      app.view.view([0, 0, 1]);
      store.mirror.value = true;
    });
    const joint = await choose('Left.*(Fore|Lower)Arm');
    await settle(500);
    const opposite = await page.evaluate((j) => window.sinewStudio.store.scene.value.joints[j].mirror, joint);
    const before = await value(page, 'history');
    const start = await fieldSum(1);
    await page.keyboard.press('b');
    const spot = await spotOf(joint);
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + 6, spot.y + 4, {steps: 3});
    await page.mouse.up();
    await page.keyboard.press('b');
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor + 1 && store.job.value === null, before.cursor);
    await settle(500);
    assert.ok((await fieldSum(1)) > start + 0.5, 'the left side was painted');
    await page.evaluate((j) => (window.sinewStudio.store.chosen.value = j), opposite);
    await settle(500);
    const right = await fieldSum(-1);
    await page.keyboard.press('Control+z');
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor && store.job.value === null, before.cursor);
    await settle(500);
    assert.ok(right > (await fieldSum(-1)) + 0.5, 'the right side was painted, and is not any more');
    await page.keyboard.press('Control+Shift+Z');
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor + 1 && store.job.value === null, before.cursor);
  },

  async 'vertices can be reset to automatic'() {
    const joint = await choose('Left.*(Fore|Lower)Arm');
    // After a step the page has a new surface, and knows where joints are with its first frame.
    await until(page, (store, app) => app.view.skins[0].joints.length > 0);
    await settle(300);
    const spot = await spotOf(joint);
    await page.mouse.click(spot.x, spot.y);
    await until(page, (store) => store.rowTable.value.length === 1);
    assert.equal((await value(page, 'rowTable'))[0].painted, true);
    await shot('rows');
    await button('Reset to automatic').click();
    await until(page, (store) => store.rowTable.value.length === 1 && store.rowTable.value[0].painted === false && store.job.value === null);
    assert.equal((await value(page, 'recipe')).at(-1).do, 'reset');
  },

  async 'painted weights are boundary values of new weights, or put back after them'() {
    const compute = async (method) => {
      await page.getByLabel('method').selectOption(method);
      await button('Compute').click();
      await until(page, (store, app, word) => store.recipe.value.at(-1)?.options?.method === word && store.job.value === null, method);
      return page.locator('.paint').innerText();
    };
    assert.match(await compute('distance'), /put back/);
    assert.match(await compute('harmonic'), /boundary values/);
    assert.ok((await value(page, 'scene')).painted > 1);
    await shot('painted');
  },

  async 'confidence and origin are colours'() {
    await button('Confidence').click();
    await settle(400);
    assert.ok((await fieldSum(1)) > 10);
    await button('Origin').click();
    await page.waitForSelector('.legend.tall');
    await shot('origin');
    await button('Joint').click();
  },

  async 'clips of other files are retargeted'() {
    await mode('Review');
    sinew('animate', 'characters/a.glb', 'builtin:wave', '-o', 'waving.glb');
    const count = (await value(page, 'scene')).clips.length;
    await upload('+ Clips', join(work, 'waving.glb'));
    await until(page, (store, app, many) => store.scene.value.clips.length > many && store.job.value === null, count);
    const step = (await value(page, 'recipe')).at(-1);
    assert.equal(step.file, 'waving.glb');
    const before = await page.evaluate(() => window.sinewStudio.app.frames.length);
    await until(page, (store, app, from) => store.playing.value && new Set(app.frames.slice(from)).size >= 5, before);
  },

  async 'joints are deleted and added'() {
    await mode('Joints');
    const names = (await value(page, 'scene')).joints.length;
    await choose('Left.*(Middle|Index).*1$|LeftHand$');
    await page.getByRole('button', {name: /^Delete from/}).click();
    await until(page, (store, app, count) => store.scene.value.joints.length < count && store.job.value === null, names);
    const fewer = (await value(page, 'scene')).joints.length;
    const [thigh, shin] = [await choose('Left.*(Thigh|UpLeg|UpperLeg)'), await choose('Left.*(Shin|Leg|LowerLeg)$')];
    await page.evaluate((j) => {
      const {app, store} = window.sinewStudio;
      store.chosen.value = j;
      app.view.view([0, 0, 1]);
    }, thigh);
    await settle(500);
    const [from, to] = [await spotOf(thigh), await spotOf(shin)];
    await button('Add a joint below').click();
    await page.mouse.click((from.x + to.x) / 2, (from.y + to.y) / 2);
    await until(page, (store, app, count) => store.scene.value.joints.length === count + 1 && store.job.value === null, fewer);
    const added = (await value(page, 'scene')).joints.find((joint) => joint.name.includes('_added1'));
    assert.ok(added.vertices > 0, 'the new joint moves skin');
    for (let i = 0; i < 2; ++i) await page.keyboard.press('Control+z');
    await until(page, (store, app, count) => store.scene.value.joints.length === count && store.job.value === null, names);
  },

  async 'several joints move together, and those below come along'() {
    await mode('Joints');
    await page.evaluate(() => {
      const {app, store} = window.sinewStudio;
      store.mirror.value = false;
      app.view.frameAll();
      app.view.view([0, 0, 1]);
    });
    const [elbow, wrist] = [await choose('Left.*(Fore|Lower)Arm$'), await choose('LeftHand$')];
    await settle(600);
    const spots = [await spotOf(elbow), await spotOf(wrist)];
    await page.mouse.click(spots[0].x, spots[0].y);
    await page.keyboard.down('Shift');
    await page.mouse.click(spots[1].x, spots[1].y);
    await page.keyboard.up('Shift');
    assert.deepEqual(await page.evaluate(() => [...window.sinewStudio.store.group.value].sort((a, b) => a - b)), [elbow, wrist].sort((a, b) => a - b));
    await shot('where');
    const drag = async () => {
      const steps = (await value(page, 'recipe')).length;
      const [from, to] = [await spotOf(elbow), await spotOf(wrist)];
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(from.x + 0.15 * (to.x - from.x), from.y + 0.15 * (to.y - from.y), {steps: 4});
      await settle(500);
      await shot('several');
      await page.mouse.up();
      await until(page, (store, app, count) => store.recipe.value.length === count + 1 && store.job.value === null, steps);
      const {hints} = (await value(page, 'recipe')).at(-1);
      await page.keyboard.press('Control+z');
      await until(page, (store, app, count) => store.recipe.value.length === count && store.job.value === null, steps);
      return Object.keys(hints).sort();
    };
    assert.deepEqual((await drag()).filter((name) => name.startsWith('Left')), ['LeftForearm', 'LeftHand']);
    await page.evaluate(() => {
      const {store} = window.sinewStudio;
      store.group.value = new Set();
      store.children.value = true;
    });
    await page.evaluate((j) => (window.sinewStudio.store.chosen.value = j), elbow);
    await settle(500);
    const below = await drag();
    assert.ok(['LeftForearm', 'LeftHand', 'LeftMiddle3'].every((name) => below.includes(name)) && !below.includes('LeftUpperArm'), below.join());
    await page.evaluate(() => {
      const {store} = window.sinewStudio;
      store.children.value = false;
      store.mirror.value = true;
    });
  },

  async 'the recipe repeats all this, and travels inside the file'() {
    await mode('Deliver');
    const plain = readFileSync(await exported('Export GLB'));
    const recipe = await exported('Recipe');
    sinew('rig', 'characters/b.obj', '--session', recipe, '-o', 'again.glb', '--force');
    assert.ok(plain.equals(readFileSync(join(work, 'again.glb'))), 'the files differ');
    await page.getByLabel('With the recipe inside').check();
    const file = await exported('Export GLB');
    const steps = (await value(page, 'recipe')).length;
    await upload('Open…', file);
    await until(page, (store) => store.carried.value !== null);
    assert.deepEqual(await value(page, 'carried'), {name: 'b.obj', steps, open: {file: 1}});
    await shot('carried');
    await page.getByRole('button', {name: 'Go on with b.obj'}).click();
    await until(page, (store, app, count) => store.input.value === 'b.obj' && store.recipe.value.length === count && store.job.value === null, steps);
    await upload('Open…', file);
    await until(page, (store) => store.carried.value !== null);
    await upload('Open…', join(work, 'characters/b.obj'), join(work, 'characters/b.mtl'), join(work, 'waving.glb'));
    await until(page, (store, app, count) => store.recipe.value.length === count && store.job.value === null, steps);
  },

  async 'earlier work is offered again'() {
    const steps = (await value(page, 'recipe')).length + 1;
    await page.evaluate(() => window.sinewStudio.app.step({do: 'clip', name: 'run'}));
    await until(page, (store, app, count) => store.recipe.value.length === count && store.job.value === null, steps);
    await page.evaluate(() => window.sinewStudio.app.run('open', {file: 0}));
    await until(page, (store) => store.input.value === 'a.glb' && store.job.value === null);
    await page.evaluate(() => window.sinewStudio.app.run('open', {file: 1}));
    await until(page, (store) => store.input.value === 'b.obj' && store.job.value === null && store.earlier.value > 0);
    await button('Restore').click();
    await until(page, (store, app, count) => store.recipe.value.length === count && store.job.value === null, steps);
    assert.equal(await value(page, 'error'), '');
  },

  async 'a wipe and a difference compare deformers'() {
    await mode('Compare');
    await page.evaluate(() => window.sinewStudio.app.run('show', {slot: 1, method: 'dqs'}));
    await until(page, (store) => store.methods.value[1] === 'dqs');
    await page.evaluate(() => window.sinewStudio.app.playNamed('exercise'));
    await button('difference').click();
    await until(page, (store, app) => Math.max(...app.view.skins[0].mesh.geometry.attributes.field.array) > 1);
    await shot('difference');
    await button('wipe').click();
    await page.locator('.wipe').fill('0.3');
    assert.equal(await page.evaluate(() => window.sinewStudio.app.view.wipe), 0.3);
    await settle(400);
    await shot('wipe');
  },

  async 'a file is compared with a file'() {
    // What was exported from here looks the same in every pose.
    const difference = () => page.evaluate(() => Math.max(...window.sinewStudio.app.view.skins[0].mesh.geometry.attributes.field.array));
    const chooser = page.waitForEvent('filechooser');
    await page.getByLabel('File on the right').selectOption('choose');
    await (await chooser).setFiles([join(work, 'b_rigged.glb')]);
    await until(page, (store, app) => store.other.value?.name === 'b_rigged.glb' && app.view.skins[1].joints.length > 0);
    const other = await value(page, 'other');
    assert.ok(other.same_skeleton && other.matched === other.deforming);
    await button('side').click();
    await settle(600);
    await shot('compare_files');
    if (other.same_vertices) {
      await page.evaluate(() => window.sinewStudio.app.run('show', {slot: 1, method: 'lbs', other: true}));
      await button('difference').click();
      await settle(800);
      assert.ok((await difference()) < 0.05, `${await difference()} mm`);
    }
    // Another skeleton follows by the names of its joints.
    await page.getByLabel('File on the right').selectOption('0');
    await until(page, (store, app) => store.other.value?.name === 'a.glb' && app.view.skins[1].joints.length > 0);
    assert.ok((await value(page, 'other')).matched > 5);
    await button('side').click();
    const forearm = await choose('Left.*(Fore|Lower)Arm$');
    const name = await page.evaluate((j) => window.sinewStudio.store.scene.value.joints[j].name, forearm);
    const twin = await page.evaluate((text) => window.sinewStudio.store.other.value.scene.joints.findIndex((joint) => joint.name === text), name);
    assert.ok(twin >= 0, name);
    const axes = (slot, joint) => page.evaluate(([s, j]) => {
      const m = window.sinewStudio.app.view.skins[s].joints.subarray(12 * j, 12 * j + 12);
      return [0, 1, 2, 4, 5, 6, 8, 9, 10].map((k) => m[k]);
    }, [slot, joint]);
    // Both turn by the same angle from rest: the trace of the rotation is equal.
    const turned = async (slot, joint, rest) => (await axes(slot, joint)).reduce((sum, entry, i) => sum + entry * rest[i], 0);
    await page.evaluate(() => window.sinewStudio.app.run('pose', {edit: {kind: 'reset'}}));
    await page.evaluate(() => { const {store, app} = window.sinewStudio; store.posed.value = true; app.want(); });
    await settle(600);
    const rest = [await axes(0, forearm), await axes(1, twin)];
    await page.evaluate((j) => window.sinewStudio.app.run('pose', {edit: {kind: 'turn', joint: j, axis: [0, 1, 0], angle: 1.2}}), forearm);
    await settle(600);
    const traces = [await turned(0, forearm, rest[0]), await turned(1, twin, rest[1])];
    assert.ok(Math.abs(traces[0] - (1 + 2 * Math.cos(1.2))) < 1e-3 && Math.abs(traces[0] - traces[1]) < 1e-3, traces.join());
    await shot('compare_other');
    await page.getByLabel('File on the right').selectOption('this');
    await until(page, (store, app) => store.other.value === null);
  },

  async 'an earlier step is the other side, with its difference'() {
    await page.evaluate(() => window.sinewStudio.app.run('open', {file: 0}));
    await until(page, (store) => store.input.value === 'a.glb' && store.job.value === null);
    await page.evaluate(() => window.sinewStudio.app.step({do: 'weights', options: {smooth: 20}}));
    await idle();
    await mode('Compare');
    await page.getByLabel('File on the right').selectOption('step:0');
    await until(page, (store, app) => store.other.value?.earlier === true && app.view.skins[1].joints.length > 0);
    await page.evaluate(() => window.sinewStudio.app.playNamed('exercise'));
    await button('difference').click();
    await until(page, (store, app) => Math.max(...app.view.skins[0].mesh.geometry.attributes.field.array) > 1);
    await button('wipe').click();
    await settle(400);
    await shot('before_after');
    await page.getByLabel('File on the right').selectOption('this');
    await until(page, (store) => store.other.value === null);
    await page.keyboard.press('Control+z');
    await idle();
  },

  async 'meshes, pieces and bones are hidden, shown alone and locked'() {
    await mode('Weights');
    await page.evaluate(() => window.sinewStudio.app.view.frameAll());
    const drawn = () => page.evaluate(() => window.sinewStudio.app.view.skins[0].mesh.geometry.index.count);
    const all = await drawn();
    await page.locator('.outliner').getByRole('button', {name: /^Hide /}).first().click({force: true});
    await until(page, (store) => store.hiddenParts.value.size === 1);
    // The only mesh is hidden.
    await until(page, (store, app) => app.view.skins[0].mesh.geometry.index.count === 0);
    await page.locator('.outliner').getByRole('button', {name: /^Hide /}).first().click({force: true});
    // The piece that is clicked is shown alone, and the key shows everything again.
    const head = await choose('Head$');
    await page.evaluate(() => window.sinewStudio.app.choose(-1));
    await until(page, (store, app) => app.view.skins[0].joints.length > 0);
    await settle(600);
    const spot = await spotOf(head);
    await page.mouse.click(spot.x, spot.y - 8);
    await until(page, (store) => store.rowTable.value.length === 1);
    await page.keyboard.press('Shift+H');
    await until(page, (store) => store.only.value !== null);
    await settle(300);
    assert.ok((await drawn()) > 0 && (await drawn()) <= all);
    await shot('only_piece');
    await page.keyboard.press('Shift+H');
    await until(page, (store) => store.only.value === null);
    const name = (await value(page, 'scene')).joints[head].name;
    await page.locator('.outliner').getByRole('button', {name: `Hide ${name}`, exact: true}).click({force: true});
    assert.equal(await page.evaluate((j) => window.sinewStudio.app.view.bones.shown(j), head), false);
    await page.locator('.outliner').getByRole('button', {name: `Hide ${name}`, exact: true}).click({force: true});
    await page.locator('.outliner').getByRole('button', {name: `Lock ${name}`, exact: true}).click({force: true});
    assert.deepEqual(await page.evaluate(() => [...window.sinewStudio.store.locked.value]), [name]);
    await page.keyboard.press('l');
    assert.deepEqual(await page.evaluate(() => [...window.sinewStudio.store.locked.value]), []);
    await page.keyboard.press('a');
    await settle(300);
    await shot('axes');
    await page.keyboard.press('a');
  },

  async 'a locked mesh keeps its weights under the brush'() {
    const part = (await value(page, 'scene')).parts[0].name;
    await choose('Head$');
    const before = await value(page, 'history');
    const paint = (fixed) => page.evaluate(async (words) => {
      const {app, store} = window.sinewStudio;
      app.link.tell('stroke', {phase: 'begin', mode: 'add', joint: store.chosen.value, radius: 0.1, strength: 1, value: 1, fixed: words});
      app.link.tell('stroke', {phase: 'dab', vertex: 10});
      app.link.tell('stroke', {phase: 'end'});
      await new Promise((done) => setTimeout(done, 1500));
    }, fixed);
    await paint([part]);
    assert.equal((await value(page, 'history')).cursor, before.cursor, 'nothing was painted');
    await paint([]);
    await until(page, (store, app, cursor) => store.history.value.cursor === cursor + 1 && store.job.value === null, before.cursor);
    await page.keyboard.press('Control+z');
    await idle();
  },

  async 'a copied command gives the same file'() {
    const text = () => value(page, 'command');
    const run = (line) => execFileSync('bash', ['-c', line.replaceAll('sinew ', `${program} `)], {cwd: work, stdio: 'pipe'});
    await page.evaluate(() => window.sinewStudio.app.run('open', {file: 0}));
    await until(page, (store) => store.input.value === 'a.glb' && store.job.value === null && store.recipe.value.length === 0);
    await page.evaluate(() => window.sinewStudio.app.step({do: 'weights', options: {smooth: 2, prune: 0.02}}));
    await idle();
    const first = await text();
    assert.match(first, /^sinew weights characters\/a\.glb --smooth 2 --prune 0\.02 -o a_rigged\.glb$/);
    await mode('Deliver');
    await page.getByLabel('With the recipe inside').uncheck();
    const here = readFileSync(await exported('Export GLB'));
    run((await text()) + ' --force');
    assert.ok(here.equals(readFileSync(join(work, 'a_rigged.glb'))), 'the files differ');
    await mode('Pose');
    await page.evaluate(() => window.sinewStudio.app.run('pose', {edit: {kind: 'twist', joint: 3, angle: 1}}));
    await until(page, (store) => / --pose a\.pose\.json /.test(store.command.value));
    await exported('Save pose');
    run(`${(await text()).split(' && ').at(-1)} --force`);
    await page.evaluate(() => window.sinewStudio.app.playNamed('walk'));
    await until(page, (store) => / && sinew render a_rigged\.glb --clip (builtin:)?walk -o a\.webp$/.test(store.command.value));
    await mode('Compare');
    await until(page, (store) => store.command.value.endsWith('sinew check a_rigged.glb'));
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await idle();
  },

  async 'a preset and a format are chosen for the export'() {
    await page.evaluate(() => window.sinewStudio.app.run('open', {file: 0}));
    await until(page, (store) => store.input.value === 'a.glb' && store.job.value === null && store.recipe.value.length === 0);
    await mode('Deliver');
    const plain = readFileSync(await exported('Export GLB'));
    await page.getByLabel('preset').selectOption('unreal');
    await until(page, (store) => store.recipe.value.at(-1)?.options?.preset === 'unreal' && store.job.value === null);
    assert.ok((await value(page, 'scene')).joints.some((joint) => joint.name === 'upperarm_l'));
    assert.equal(await value(page, 'earlier'), 0, 'what was done before is not offered any more');
    await shot('preset');
    const file = await exported('Export GLB');
    assert.match(sinew('info', file), /upperarm_l|joints/);
    // Undo gives the file back as it was: nothing that the step changed is shared with it.
    await page.keyboard.press('Control+z');
    await until(page, (store) => store.recipe.value.length === 0 && store.job.value === null);
    const again = readFileSync(await exported('Export GLB'));
    assert.ok(plain.equals(again), 'the files differ');
    await page.getByLabel('Format').selectOption('obj');
    assert.match(readFileSync(await exported('Export OBJ'), 'utf8'), /^f /m);
    await page.getByLabel('Format').selectOption('vrm');
  },

  async 'a piece follows a joint'() {
    await page.evaluate(() => window.sinewStudio.app.run('open', {file: 0}));
    await until(page, (store) => store.input.value === 'a.glb' && store.job.value === null);
    await mode('Weights');
    const joint = await choose('Head$');
    const name = await page.evaluate((j) => window.sinewStudio.store.scene.value.joints[j].name, joint);
    const all = (await value(page, 'scene')).joints[joint].vertices;
    await page.evaluate((text) => window.sinewStudio.app.step({do: 'piece', what: 'shell:0', joint: text}), name);
    await idle();
    assert.ok((await value(page, 'scene')).joints[joint].vertices > all);
    await page.keyboard.press('Control+z');
    await until(page, (store, app, [j, count]) => store.scene.value.joints[j].vertices === count && store.job.value === null, [joint, all]);
  },

  async 'VRM and report are delivered'() {
    await mode('Deliver');
    await page.getByLabel('Format').selectOption('vrm');
    const vrm = await exported('Export VRM');
    await page.getByLabel('Format').selectOption('glb');
    assert.match(sinew('info', vrm, '--json'), /vrm/i);
    const report = await exported('Report');
    const other = await context.newPage();
    await other.goto(`file://${report}`);
    await other.waitForSelector('canvas');
    await other.close();
  },

  async 'work is cancelled, and the character stays'() {
    const before = await value(page, 'scene');
    page.evaluate(() => window.sinewStudio.app.step({do: 'rig', options: {replace: true}})).catch(() => undefined);
    await until(page, (store) => store.job.value !== null);
    const begin = Date.now();
    await page.keyboard.press('Escape');
    await until(page, (store) => store.job.value === null);
    assert.ok(Date.now() - begin < 3000, 'the work ends soon');
    assert.equal((await value(page, 'scene')).generation, before.generation);
  },
};

await run(scenarios, 'a folder is a list, and keys go through it');
