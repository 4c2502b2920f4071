// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Figures over the clip, above the time line.

import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { App } from '../app';
import * as store from '../store';

// Sections solid, volumes dashed; A and B differ in colour and in width.
const strokes = ['#3fb6a8', '#e67310'];

function options(width: number, plot: store.Plot, seek: (time: number) => void): uPlot.Options {
  const ink = getComputedStyle(document.documentElement).getPropertyValue('--quiet');
  const axis = { stroke: ink, grid: { stroke: '#8884', width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  const named = plot.joint >= 0;
  return {
    width,
    height: 104,
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_u, low, high) => [Math.min(0.5, low), Math.max(1.1, high)] } },
    axes: [{ ...axis, size: 22 }, { ...axis, size: 38 }],
    series: [
      {},
      ...plot.series.flatMap((series, i) => [
        { label: `${series.method} thinnest section`, stroke: strokes[i], width: 2 - 0.5 * i, show: named },
        { label: `${series.method} volume`, stroke: strokes[i], width: 2 - 0.5 * i, dash: [5, 4] },
      ]),
    ],
    hooks: {
      init: [(u) => u.over.addEventListener('click', () => u.cursor.left !== undefined && u.cursor.left >= 0 && seek(u.posToVal(u.cursor.left, 'x')))],
    },
  };
}

export function Plots({ app }: { app: () => App | null }) {
  const place = useRef<HTMLDivElement>(null);
  const hand = useRef<HTMLDivElement>(null);
  const plot = store.plot.value;
  const shown = store.showPlot.value;
  useEffect(() => {
    if (!place.current || !plot) return;
    const seek = (time: number) => {
      store.playing.value = false;
      store.posed.value = false;
      store.time.value = time;
      app()?.want();
    };
    const known = (values: number[]) => values.map((value) => (value < 0 ? null : value));
    const data: uPlot.AlignedData = [plot.times, ...plot.series.flatMap((series) => [known(series.thinnest), known(series.volume)])];
    const chart = new uPlot(options(place.current.clientWidth, plot, seek), data, place.current);
    const resize = new ResizeObserver(() => place.current && chart.setSize({ width: place.current.clientWidth, height: 104 }));
    resize.observe(place.current);
    const stop = effect(() => {
      if (hand.current) hand.current.style.left = `${chart.over.offsetLeft + chart.valToPos(store.time.value, 'x')}px`;
    });
    return () => {
      stop();
      resize.disconnect();
      chart.destroy();
    };
  }, [plot, shown]);
  if (!shown) return null;
  const joint = store.scene.value?.joints[plot?.joint ?? -1];
  return (
    <section class="plot" aria-label="Figures over the clip">
      <header>
        <b>{joint ? joint.name : 'whole character'}</b>
        {plot?.series.map((series, i) => <span style={{ color: strokes[i] }}>{joint && <>— {series.method} thinnest section </>}┄ {series.method} volume</span>)}
        <span class="space" />
        <button title="For the chosen joint" onClick={() => app()?.askPlot()}>Plot again</button>
        <button class="icon" title="Close" onClick={() => (store.showPlot.value = false)}>×</button>
      </header>
      {plot ? <div class="chart" ref={place}><div class="hand" ref={hand} /></div> : <p class="quiet">Measuring…</p>}
    </section>
  );
}
