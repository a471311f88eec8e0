import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between two nodes and counts what goes over the wire, both ways, heads included. */
export class Wire {
  bytes = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      this.#carry(near, far);
      this.#carry(far, near);
    });
  }

  /** To a server on this machine. */
  static async to(port: number): Promise<Wire> {
    const wire = new Wire(port);
    await once(wire.#server.listen(0, '127.0.0.1'), 'listening');
    return wire;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('data', (chunk) => {
      this.bytes += chunk.length;
    });
    from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from));
    from.pipe(to);
  }
}
