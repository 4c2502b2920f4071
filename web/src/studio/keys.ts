// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// What keys do. Tab stays what moves the focus.

import type { App } from './app';
import { brushOn, picked } from './tools';
import * as store from './store';

export const keyMap: [string, string][] = [
  ['Space', 'play, pause'],
  ['← →', 'one frame'],
  ['Home', 'look at everything'],
  ['F', 'look at the chosen joint'],
  ['1 3 7', 'front, side, top'],
  ['R P J W C D', 'modes'],
  [', .', 'previous, next item'],
  ['[ ] ↑ ↓', 'previous, next joint; arrows in the list'],
  ['S A X E', 'skeleton, axes, X-ray, edges'],
  ['H Shift-H', 'hide the clicked mesh; show the clicked piece alone'],
  ['L', 'lock the chosen joint'],
  ['M', 'mirror'],
  ['B', 'brush (Shift smooths, Ctrl subtracts)'],
  ['- =', 'size of the brush'],
  ['PgUp PgDn', 'previous, next character'],
  ['Ctrl-Z', 'undo'],
  ['Ctrl-Shift-Z Ctrl-Y', 'redo'],
  ['Ctrl-S', 'save the recipe'],
  ['Esc', 'cancel'],
];

function toggleLock() {
  const name = store.jointName.value;
  if (!name) return;
  const next = new Set(store.locked.value);
  if (!next.delete(name)) next.add(name);
  store.locked.value = next;
}

function nextFile(app: App, step: number) {
  const files = store.welcome.value?.files ?? [];
  const to = store.file.value < 0 ? 0 : store.file.value + step;
  if (to >= 0 && to < files.length) void app.run('open', { file: to });
}

/// Hides the mesh that was clicked last; all are shown if it is hidden.
function hideClicked() {
  const part = picked.value?.part ?? -1;
  store.hiddenParts.value = part < 0 || store.hiddenParts.value.has(part) ? new Set() : new Set([...store.hiddenParts.value, part]);
}

/// The control that the keyboard reached last; null after a click.
let reached: EventTarget | null = null;
export function followFocus() {
  let byKey = false;
  window.addEventListener('keydown', (event) => (byKey = event.key === 'Tab'), { capture: true });
  window.addEventListener('pointerdown', () => { byKey = false; reached = null; }, { capture: true });
  window.addEventListener('focusin', (event) => (reached = byKey ? event.target : null));
}

export function onKey(app: App, event: KeyboardEvent) {
  const target = event.target as HTMLElement;
  const typing = target instanceof HTMLInputElement && ['text', 'search', 'number'].includes(target.type);
  if (typing || target instanceof HTMLSelectElement) return;
  if (event.ctrlKey || event.metaKey) {
    const key = event.key.toLowerCase();
    if (key === 'z') void app.run(event.shiftKey ? 'redo' : 'undo');
    else if (key === 'y') void app.run('redo');
    else if (key === 's') void app.exportFile('recipe');
    else return;
    event.preventDefault();
    return;
  }
  if (event.altKey) return;
  const slider = target instanceof HTMLInputElement && target.type === 'range';
  if (slider && ['Home', 'End', 'PageUp', 'PageDown', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'].includes(event.key)) return;
  // Space presses what Tab has reached; what was clicked keeps the focus, but is not meant any more.
  const control = target instanceof Element && target.matches('button, summary, input[type="checkbox"]');
  if (control && event.key === ' ' && reached === target) return;
  const mode = store.modes.find(([, , key]) => key.toLowerCase() === event.key.toLowerCase());
  if (mode) app.setMode(mode[0]);
  else
    switch (event.key) {
      case ' ':
        if (control) target.blur(); // Firefox presses a button when the key is released.
        app.togglePlay();
        break;
      case 'ArrowLeft':
      case 'ArrowRight':
        store.playing.value = false;
        store.posed.value = false;
        store.time.value = Math.max(0, Math.min(store.duration.value, store.time.value + (event.key === 'ArrowLeft' ? -1 : 1) / 30));
        app.want();
        break;
      case 'Home':
        app.view.frameAll();
        break;
      case 'f':
        app.focus();
        break;
      case '1':
        app.view.view([0, 0, 1]);
        break;
      case '3':
        app.view.view([1, 0, 0]);
        break;
      case '7':
        app.view.view([0, 1, 0.001]);
        break;
      case ',':
        void app.show(Math.max(0, store.item.value - 1));
        break;
      case '.':
        void app.show(Math.min((store.items.value?.length ?? 1) - 1, store.item.value + 1));
        break;
      case '[':
        app.nextJoint(-1);
        break;
      case ']':
        app.nextJoint(1);
        break;
      case 's':
        store.showBones.value = !store.showBones.value;
        break;
      case 'a':
        store.axes.value = !store.axes.value;
        break;
      case 'h':
        hideClicked();
        break;
      case 'H':
        if (store.only.value) store.only.value = null;
        else if (picked.value && picked.value.shell >= 0) void app.isolate(`shell:${picked.value.shell}`);
        break;
      case 'x':
        store.xray.value = !store.xray.value;
        break;
      case 'e':
        store.wire.value = !store.wire.value;
        break;
      case 'l':
        toggleLock();
        break;
      case 'm':
        store.mirror.value = !store.mirror.value;
        break;
      case 'b':
        if (store.mode.value !== 'weights') app.setMode('weights');
        brushOn.value = !brushOn.value;
        break;
      case '-':
      case '=':
        store.brush.value = { ...store.brush.value, radius: store.brush.value.radius * (event.key === '-' ? 0.8 : 1.25) };
        break;
      case 'PageUp':
        nextFile(app, -1);
        break;
      case 'PageDown':
        nextFile(app, 1);
        break;
      case 'Escape':
        app.tools.cancel();
        app.cancel();
        store.help.value = false;
        store.error.value = '';
        store.notice.value = '';
        break;
      case '?':
        store.help.value = !store.help.value;
        break;
      default:
        return;
    }
  event.preventDefault();
}
