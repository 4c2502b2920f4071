// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The files of a folder, with what `sinew check` finds of each.

import { useEffect, useRef } from 'preact/hooks';
import type { App } from '../app';
import * as store from '../store';

const words = { waiting: '', checking: '…', graded: '', bare: 'no rig', unreadable: 'unreadable' };

function Badge({ grade, open }: { grade?: store.Grade; open: boolean }) {
  // What was changed here has a grade of its own.
  const now = open && store.history.value.cursor > 0 ? store.verdict.value : '';
  const before = grade ? grade.verdict || words[grade.state] : '';
  return (
    <>
      {before && <span class={`grade ${grade!.verdict}`} title={grade!.text}>{before}</span>}
      {now && now !== before && <span class={`grade ${now}`} title="After the steps that were made here">→ {now}</span>}
    </>
  );
}

export function Files({ app }: { app: () => App | null }) {
  const files = store.welcome.value?.files ?? [];
  const grades = store.grades.value;
  const chosen = useRef<HTMLLIElement>(null);
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [store.file.value]);
  if (files.length < 2) return null;
  const done = grades[0]?.done ?? 0;
  const count = (verdict: string) => grades.filter((grade) => grade.verdict === verdict).length;
  return (
    <section class="files" aria-label="Characters">
      <h3>Characters <i>{files.length}</i></h3>
      <ul>
        {files.map((name, i) => (
          <li class={store.file.value === i ? 'chosen' : ''} ref={store.file.value === i ? chosen : undefined}>
            <button class="label" title={name} aria-current={store.file.value === i} onClick={() => void app()?.run('open', { file: i })}>{name}</button>
            <Badge grade={grades[i]} open={store.file.value === i} />
          </li>
        ))}
      </ul>
      {done < files.length ? (
        <p class="quiet">Checking <progress max={files.length} value={done} /> {done} of {files.length}</p>
      ) : (
        <p class="quiet">{count('PASS')} pass, {count('CHECK')} to check, {count('FAIL')} fail. PgUp, PgDn: previous, next.</p>
      )}
    </section>
  );
}
