import { connect, type Socket } from 'node:net';
import { setTimeout as later } from 'node:timers/promises';

/** Readers of the lines of events of a node; each takes what comes and keeps the last cursor. */
export class EventReaders {
  readonly #sockets: Socket[] = [];
  readonly #cursors = new Map<Socket, string>();
  #fault: Error | undefined;

  /** Opens so many lines, and resolves when each has had its first event. */
  static async open(port: number, count: number): Promise<EventReaders> {
    const readers = new EventReaders();
    for (let i = 0; i < count; i++) {
      readers.#open(port);
      // In portions: the queue of connections that wait to be accepted is short, and one that it has no place for is reset.
      if (i % 50 === 49 || i === count - 1) await readers.#until(() => readers.#cursors.size > i);
    }
    return readers;
  }

  /** Resolves when all have been told that the cursor is this one. */
  told(cursor: string): Promise<void> {
    return this.#until(() => this.count(cursor) === this.#sockets.length);
  }

  /** How many have been told that this is the cursor. */
  count(cursor: string): number {
    return [...this.#cursors.values()].filter((one) => one === cursor).length;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(port: number): void {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    this.#sockets.push(socket);
    socket.write('GET /feed HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n');
    let rest = '';
    socket.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      const last = lines.findLast((line) => line.startsWith('data: '));
      if (last !== undefined) this.#cursors.set(socket, last.slice('data: '.length));
    });
    socket.on('error', (error) => {
      this.#fault = error;
    });
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.#fault) throw new Error('a reader was cut off', { cause: this.#fault });
      await later(5);
    }
  }
}
