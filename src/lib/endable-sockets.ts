import { Socket } from 'node:net';

/** Connections that can all be ended at once, whatever somebody waits for on them. */
export class EndableSockets {
  readonly #open = new Set<Socket>();
  #isOver = false;

  /** A socket that its caller connects. */
  readonly make = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    if (this.#isOver) queueMicrotask(() => socket.destroy());
    return socket;
  };

  /** Ends them, and from then on each that is asked for, once it begins to connect. */
  end(): void {
    this.#isOver = true;
    for (const socket of this.#open) socket.destroy();
  }
}
