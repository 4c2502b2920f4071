// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The socket to the program: requests with answers, binary messages, connecting again.

export interface Head {
  kind: number;
  slot: number;
  generation: number;
  sequence: number;
  time: number;
  vertices: number;
  joints: number;
  flags: number;
  micros: number;
}

export const headBytes = 32;
export const kinds = { surface: 1, frame: 2, field: 3 } as const;

export function readHead(buffer: ArrayBuffer): Head {
  const view = new DataView(buffer);
  const word = (at: number) => view.getUint32(at, true);
  return {
    kind: view.getUint16(0, true),
    slot: view.getUint16(2, true),
    generation: word(4),
    sequence: word(8),
    time: view.getFloat32(12, true),
    vertices: word(16),
    joints: word(20),
    flags: word(24),
    micros: word(28),
  };
}

export type Body = Record<string, unknown>;
export type Answer = Record<string, any>;

interface Listener {
  message(message: Answer): void;
  binary(head: Head, buffer: ArrayBuffer): void;
  connected(yes: boolean): void;
}

/// The secret of this run, from the fragment of the address; kept while the tab lives.
function takeToken(): string {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  return given || sessionStorage.getItem('token') || '';
}

export class Link {
  private socket: WebSocket | null = null;
  private next = 1;
  private wait = 250;
  private readonly open = new Map<number, { done: (answer: Answer) => void; failed: (error: Error) => void }>();
  private readonly token = takeToken();

  constructor(private readonly listener: Listener) {
    this.connect();
  }

  private connect() {
    const socket = new WebSocket(`ws://${location.host}/socket`, ['sinew', this.token]);
    this.socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.wait = 250;
      this.listener.connected(true);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (event.data instanceof ArrayBuffer) this.listener.binary(readHead(event.data), event.data);
      else this.receive(JSON.parse(event.data) as Answer);
    };
    socket.onclose = () => {
      for (const { failed } of this.open.values()) failed(new Error('The connection was lost.'));
      this.open.clear();
      this.listener.connected(false);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(4000, 2 * this.wait);
    };
  }

  private receive(message: Answer) {
    const waiting = this.open.get(message.re as number);
    if (waiting && ['ok', 'answer', 'error', 'download'].includes(message.t as string)) {
      if (message.t !== 'download') this.open.delete(message.re as number);
      if (message.t === 'error') waiting.failed(new Error(message.text as string));
      else if (message.t !== 'download') waiting.done(message);
    }
    this.listener.message(message);
  }

  get ready(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /// How many questions wait for their answers.
  get asked(): number {
    return this.open.size;
  }

  /// Without an answer.
  tell(t: string, body: Body = {}) {
    if (this.ready) this.socket!.send(JSON.stringify({ t, ...body }));
  }

  ask(t: string, body: Body = {}): Promise<Answer> {
    if (!this.ready) return Promise.reject(new Error('The program is not running.'));
    const id = this.next++;
    return new Promise((done, failed) => {
      this.open.set(id, { done, failed });
      this.socket!.send(JSON.stringify({ t, id, ...body }));
    });
  }

  /// `fetch` reports nothing while it sends, and a large file takes seconds.
  upload(file: File, progress: (fraction: number) => void, signal: AbortSignal): Promise<void> {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      request.open('PUT', `/upload?name=${encodeURIComponent(file.name)}`);
      request.setRequestHeader('Authorization', `Bearer ${this.token}`);
      request.upload.onprogress = (event) => progress(event.total > 0 ? event.loaded / event.total : 1);
      request.onload = () => {
        if (request.status === 413) failed(new Error(`${file.name} is too large: at most 2 GiB.`));
        else if (request.status < 200 || request.status > 299) failed(new Error(`${file.name} could not be sent (${request.status}).`));
        else done();
      };
      request.onerror = () => failed(new Error(`${file.name} could not be sent: it is no readable file, or the program does not answer.`));
      request.onabort = () => failed(new Error(`${file.name} was not sent.`));
      signal.addEventListener('abort', () => request.abort());
      request.send(file);
    });
  }

  async blob(id: number): Promise<Blob> {
    const answer = await fetch(`/blob/${id}`, { headers: { Authorization: `Bearer ${this.token}` } });
    if (!answer.ok) throw new Error(`The program has no such data (${answer.status}).`);
    return answer.blob();
  }
}
