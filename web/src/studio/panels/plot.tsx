// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Figures over the clip, above the time line.

import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { App } from '../app';
import * as store from '../store';
import { chartOptions, placeHand, strokeOf } from '../../view/chart';

const height = 104;

function options(width: number, plot: store.Plot, seek: (time: number) => void): uPlot.Options {
  const ink = getComputedStyle(document.documentElement).getPropertyValue('--quiet');
  return chartOptions(width, height, ink, plot.series.map(({ method }) => ({ name: method, sections: plot.joint >= 0 })), seek);
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
    const resize = new ResizeObserver(() => place.current && chart.setSize({ width: place.current.clientWidth, height }));
    resize.observe(place.current);
    const stop = effect(() => {
      if (hand.current) placeHand(chart, hand.current, store.time.value);
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
        {plot?.series.map((series, i) => <span style={{ color: strokeOf(i) }}>{joint && <>— {series.method} thinnest section </>}┄ {series.method} volume</span>)}
        <span class="space" />
        <button title="For the chosen joint" onClick={() => app()?.askPlot()}>Plot again</button>
        <button class="icon" title="Close" onClick={() => (store.showPlot.value = false)}>×</button>
      </header>
      {plot ? <div class="chart" ref={place}><div class="hand" ref={hand} /></div> : <p class="quiet">Measuring…</p>}
    </section>
  );
}
