// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Files on their way to the program, and from it to the disk.

import type { Link } from './link';
import * as store from './store';

export class Transfer {
  private saved: Promise<void> = Promise.resolve();
  private sends: AbortController | null = null;

  constructor(private readonly link: Link) {}

  /// Sends files into a folder of their own, which `begin` asks for. Returns whether all arrived.
  async send(files: File[], begin: () => Promise<boolean>): Promise<boolean> {
    this.cancel(); // What is dropped now counts.
    if (!(await begin())) return false;
    const sends = (this.sends = new AbortController());
    try {
      for (const file of files) {
        store.sending.value = { name: file.name, fraction: 0 };
        await this.link.upload(file, (fraction) => sends === this.sends && (store.sending.value = { name: file.name, fraction }), sends.signal);
      }
      return !sends.signal.aborted;
    } catch (problem) {
      if (!sends.signal.aborted) store.error.value = problem instanceof Error ? problem.message : String(problem);
      return false;
    } finally {
      if (sends === this.sends) store.sending.value = null;
    }
  }

  cancel() {
    this.sends?.abort();
  }

  /// Files are saved in the order in which the server names them, also when a later one arrives first.
  download(id: number, name: string) {
    const blob = this.link.blob(id);
    const before = this.saved;
    this.saved = (async () => {
      const [arrived] = await Promise.allSettled([blob, before]);
      if (arrived.status === 'fulfilled') this.save(arrived.value, name);
      else store.notice.value = `${name} was not saved: ${String(arrived.reason)}`;
    })();
  }

  save(blob: Blob, name: string) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}
