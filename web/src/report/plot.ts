// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Figures of a joint, or of the whole character, over the clip in which the characters were measured.

import uPlot from 'uplot';
import style from 'uplot/dist/uPlot.min.css?inline';
import { chartOptions, placeHand, strokeOf } from '../view/chart';
import type { Model } from './data';

const height = 150;
const known = (values: (number | null)[] | undefined, count: number) => values ?? new Array<null>(count).fill(null);

export class FigurePlot {
  readonly element = document.createElement('div');
  private readonly joint = document.createElement('select');
  private readonly legend = document.createElement('span');
  private readonly place = document.createElement('div');
  private readonly hand = document.createElement('div');
  private chart: uPlot | null = null;
  private time: number | null = null;

  constructor(
    private readonly models: Model[],
    private readonly seek: (time: number) => void,
  ) {
    const sheet = document.createElement('style');
    sheet.textContent = style;
    document.head.append(sheet);
    this.element.className = 'plot';
    this.place.className = 'chart';
    this.hand.className = 'hand';
    this.joint.setAttribute('aria-label', 'Joint of the plot');
    this.joint.append(new Option('whole character', ''), ...this.names().map((name) => new Option(name, name)));
    this.joint.addEventListener('change', () => this.draw());
    this.element.append(this.joint, this.legend, this.place);
    new ResizeObserver(() => {
      this.chart?.setSize({ width: this.place.clientWidth, height });
      this.move(this.time);
    }).observe(this.place);
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  /// Joints whose section or volume shrinks most come first.
  private names(): string[] {
    const least = new Map<string, number>();
    for (const { measures } of this.models)
      for (const { name, thinnest, volume } of measures.joints) {
        const values = [...(thinnest ?? []), ...(volume ?? [])].filter((value) => value !== null);
        least.set(name, Math.min(least.get(name) ?? Infinity, ...values));
      }
    return [...least].sort((a, b) => a[1] - b[1]).map(([name]) => name);
  }

  /// \pre the element is on the page.
  draw() {
    const name = this.joint.value;
    const tables = this.models.map(({ measures }): uPlot.AlignedData => {
      const figures = name ? measures.joints.find((joint) => joint.name === name) : measures;
      const count = measures.times.length;
      return [measures.times, known(figures?.thinnest, count), known(figures?.volume, count)];
    });
    const lines = this.models.map((model) => ({ name: model.name, sections: true }));
    this.legend.replaceChildren(
      ...lines.map((line, i) => {
        const text = document.createElement('span');
        text.style.color = strokeOf(i);
        text.textContent = `— ${line.name} thinnest section ┄ ${line.name} volume`;
        return text;
      }),
    );
    this.chart?.destroy();
    const options = chartOptions(this.place.clientWidth, height, getComputedStyle(document.body).color, lines, this.seek);
    this.chart = new uPlot(options, tables.length === 1 ? tables[0] : uPlot.join(tables), this.place);
    this.place.append(this.hand);
    this.move(this.time);
  }

  /// Moves the marker; without a time there is none.
  move(time: number | null) {
    this.time = time;
    this.hand.hidden = time === null;
    if (time !== null && this.chart) placeHand(this.chart, this.hand, time);
  }
}
