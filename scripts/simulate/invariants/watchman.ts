import type { NetworkObserver, Traffic } from '../network/hosts.js';
import { isPublic } from './public-address.js';
import { Violation } from './violation.js';

export interface WatchmanParts {
  /** Ms since the simulation began. */
  readonly elapsed: () => number;
  /** Has the operator of a node configured a host? */
  readonly isConfigured: (from: string, host: string) => boolean;
  /** Does a host answer as a pod, and is this the path of its container, which is always sent whole? */
  readonly isContainer: (host: string, target: string) => boolean;
}

/** Watches the wires for what must never be on them. */
export class Watchman implements NetworkObserver {
  /** Is nothing supposed to happen at present? */
  isIdle = false;
  readonly #parts: WatchmanParts;
  #found: Violation | undefined;

  constructor(parts: WatchmanParts) {
    this.#parts = parts;
  }

  /** @throws Violation when there was one */
  check(): void {
    if (this.#found) throw this.#found;
  }

  dialled(from: string, host: string, address: string): void {
    if (isPublic(address) || this.#parts.isConfigured(from, host)) return;
    this.#note('private', `${from} opens a connection to ${host} at ${address}`);
  }

  exchanged({ request, to, status, bodyBytes, isLine }: Traffic): void {
    if (!this.isIdle || isLine || status !== 200 || bodyBytes === 0) return;
    if (this.#parts.isContainer(to, request.target)) return;
    this.#note('idle', `${request.from} gets ${bodyBytes} bytes of ${to}${request.target}`);
  }

  carried(): void {
    // Hints are no bodies.
  }

  #note(rule: 'private' | 'idle', message: string): void {
    this.#found ??= new Violation(rule, this.#parts.elapsed(), message);
  }
}
