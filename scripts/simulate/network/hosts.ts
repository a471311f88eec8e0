import type { VirtualTime } from '../time/virtual-time.js';
import type { Weather } from './weather.js';
import type { VirtualServer, WireAnswer, WireRequest } from './wire.js';

/** One exchange that has ended, or whose endless answer has begun. */
export interface Traffic {
  readonly request: WireRequest;
  readonly to: string;
  /** Absent when there was no answer. */
  readonly status?: number;
  /** Of heads and bodies, both ways, before compression. */
  readonly bytes: number;
  /** Of the body of the answer. */
  readonly bodyBytes: number;
  /** Does the answer go on until one side ends it? */
  readonly isLine?: boolean;
  /** Why there was no answer. */
  readonly error?: string;
}

export interface NetworkObserver {
  /** A connection is opened. */
  dialled(from: string, host: string, address: string): void;
  exchanged(traffic: Traffic): void;
  /** A piece of an endless answer has come. */
  carried(request: WireRequest, bytes: number): void;
}

/** Stands before a server, and makes of its answers what it likes. */
export type Intermediary = (request: WireRequest, server: VirtualServer) => Promise<WireAnswer>;

/** A request that is under way, as the network tells it what happens. */
export interface UnderWay {
  serverEnded(name: string): void;
  silenceIfSeparated(): void;
  /** Nothing comes through any more, and neither side is told. */
  silence(): void;
}

export interface Host {
  readonly name: string;
  readonly address: string;
  /** Where its name leads instead, the last one first of all. */
  readonly elsewhere: Set<{ readonly address: string }>;
  server: VirtualServer | undefined;
  readonly intermediaries: Set<Intermediary>;
  /** What is under way from it, and to it. */
  readonly exchanges: Set<UnderWay>;
}

/** What a request goes through. */
export interface Surroundings {
  readonly time: VirtualTime;
  readonly weather: Weather;
  readonly observer: NetworkObserver;
  host(name: string): Host | undefined;
}
