// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Figures over a clip: sections solid, volumes dashed. Characters or methods differ in colour and in width.

import uPlot from 'uplot';

export const strokes = ['#3fb6a8', '#e67310', '#7d8fe8', '#c46bd0'];
export const strokeOf = (i: number) => strokes[i % strokes.length];

export interface ChartLines {
  name: string; // Of the character or method.
  sections: boolean; // Whether its sections are shown.
}

/// Options of a chart whose data are the times, and for each name its sections and its volumes.
export function chartOptions(width: number, height: number, ink: string, lines: ChartLines[], seek: (time: number) => void): uPlot.Options {
  const axis = { stroke: ink, grid: { stroke: '#8884', width: 1 }, ticks: { show: false }, font: '11px system-ui' };
  return {
    width,
    height,
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_u, low, high) => [Math.min(0.5, low), Math.max(1.1, high)] } },
    axes: [{ ...axis, size: 22 }, { ...axis, size: 38 }],
    series: [
      {},
      ...lines.flatMap(({ name, sections }, i) => {
        const pen = { stroke: strokeOf(i), width: Math.max(1, 2 - 0.5 * i) };
        return [
          { label: `${name} thinnest section`, ...pen, show: sections },
          { label: `${name} volume`, ...pen, dash: [5, 4] },
        ];
      }),
    ],
    hooks: {
      init: [(u) => u.over.addEventListener('click', () => u.cursor.left !== undefined && u.cursor.left >= 0 && seek(u.posToVal(u.cursor.left, 'x')))],
    },
  };
}

/// Moves the marker of a time.
export function placeHand(chart: uPlot, hand: HTMLElement, time: number) {
  hand.style.left = `${chart.over.offsetLeft + chart.valToPos(time, 'x')}px`;
}
