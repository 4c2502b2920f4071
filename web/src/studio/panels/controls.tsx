// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Controls made from what the program tells of its options; nothing here knows a method.

import type { OptionInfo } from '../store';

export type Values = Record<string, unknown>;

function Control({ option, value, set }: { option: OptionInfo; value: unknown; set: (value: unknown) => void }) {
  const title = option.sentence;
  if (option.type === 'flag') return <input type="checkbox" title={title} checked={value === true} onChange={(event) => set(event.currentTarget.checked)} />;
  if (option.choices && option.type === 'text')
    return (
      <select title={title} value={String(value ?? '')} onChange={(event) => set(event.currentTarget.value === '' && option.optional ? null : event.currentTarget.value)}>
        {option.optional && <option value="">default</option>}
        {option.choices.map((word) => <option value={word}>{word || 'default'}</option>)}
      </select>
    );
  if (option.type === 'list' && option.choices) {
    const chosen = new Set((value as string[] | null) ?? []);
    return (
      <span class="choices">
        {option.choices.map((word) => (
          <label><input type="checkbox" checked={chosen.has(word)} onChange={(event) => { if (event.currentTarget.checked) chosen.add(word); else chosen.delete(word); set([...chosen]); }} /> {word}</label>
        ))}
      </span>
    );
  }
  if (option.type === 'integer' || option.type === 'number')
    return (
      <input type="number" title={title} min={option.min} max={option.max} step={option.type === 'integer' ? 1 : 'any'} value={value === null || value === undefined ? '' : String(value)} placeholder="default"
        onChange={(event) => set(event.currentTarget.value === '' ? (option.optional ? null : option.value) : Number(event.currentTarget.value))} />
    );
  return <span class="quiet">by command line</span>;
}

export function Controls({ options, values, change }: { options: OptionInfo[]; values: Values; change: (values: Values) => void }) {
  return (
    <div class="controls">
      {options.map((option) => (
        <label title={option.sentence}>
          <span>{option.name.replaceAll('_', ' ')}{option.unit ? ` (${option.unit})` : ''}</span>
          <Control option={option} value={option.name in values ? values[option.name] : option.value} set={(value) => change({ ...values, [option.name]: value })} />
        </label>
      ))}
    </div>
  );
}
