import type { NetworkObserver, Traffic } from '../network/hosts.js';

/** What went over the wires in some time. */
export interface CostFigures {
  readonly requests: number;
  readonly bytes: number;
  /** Polls: a node that asks a pod for its container, or a peer for its feed. */
  readonly polls: number;
  /** Answers with a body. */
  readonly bodies: number;
  /** Requests that pods got. */
  readonly podRequests: number;
  readonly podBytes: number;
  /** Pieces on lines that stay open: hints and comments. */
  readonly pieces: number;
  readonly pieceBytes: number;
}

const NOTHING: CostFigures = {
  requests: 0,
  bytes: 0,
  polls: 0,
  bodies: 0,
  podRequests: 0,
  podBytes: 0,
  pieces: 0,
  pieceBytes: 0,
};

/** Counts what goes over the wires. */
export class Costs implements NetworkObserver {
  readonly #isPod: (host: string) => boolean;
  #figures: Record<keyof CostFigures, number> = { ...NOTHING };

  constructor(isPod: (host: string) => boolean) {
    this.#isPod = isPod;
  }

  /** What was counted since the last time that this was called. */
  take(): CostFigures {
    const figures = this.#figures;
    this.#figures = { ...NOTHING };
    return figures;
  }

  dialled(): void {
    // A connection costs what is sent over it.
  }

  exchanged({ request, to, bytes, bodyBytes, isLine }: Traffic): void {
    const figures = this.#figures;
    const isPod = this.#isPod(to);
    figures.requests += 1;
    figures.bytes += bytes;
    if (bodyBytes > 0) figures.bodies += 1;
    if (isPod) {
      figures.podRequests += 1;
      figures.podBytes += bytes;
    }
    if (isPoll(request.method, request.target, isPod) && !isLine) figures.polls += 1;
  }

  carried(_: unknown, bytes: number): void {
    this.#figures.pieces += 1;
    this.#figures.pieceBytes += bytes;
  }
}

function isPoll(method: string, target: string, isPod: boolean): boolean {
  if (method !== 'GET') return false;
  return isPod ? target.endsWith('/') : /^\/feed(\?|$)/.test(target);
}
