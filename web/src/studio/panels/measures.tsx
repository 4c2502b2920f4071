// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import * as store from '../store';

const share = (value: number) => (value < 0 ? '–' : value.toFixed(2));

/// What is measured of the chosen joint in the frame that is shown.
export function Measures() {
  const measures = store.measures.value;
  if (store.chosen.value < 0 || measures.length === 0) return null;
  const names = measures.length > 1 ? store.methods.value.filter((method) => method !== '') : [''];
  const line = (title: string, key: keyof store.Measure, hint: string) => (
    <tr title={hint}><td>{title}</td>{measures.map((measure) => <td class={measure[key] >= 0 && measure[key] < 0.6 ? 'bad' : ''}>{share(measure[key])}</td>)}</tr>
  );
  return (
    <div class="card measures">
      <h3>{store.jointName.value} now</h3>
      <table>
        {names.length > 1 && <tr><td /><>{names.map((name) => <td>{name}</td>)}</></tr>}
        {line('thinnest section', 'thinnest', 'The smallest cross-section near the joint, relative to the bind pose')}
        {line('volume at the joint', 'joint_volume', 'Of the skin that the joint bends, relative to the bind pose')}
        {line('volume', 'volume', 'Of the whole character, relative to the bind pose')}
      </table>
    </div>
  );
}
