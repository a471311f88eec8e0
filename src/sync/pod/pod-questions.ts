import type { ReadFailure, ReadLimits } from '../../core/reading.js';
import type { Validators } from '../../lib/fetch/validators.js';
import { TOO_SLOW } from '../failures.js';
import { throwIfStopped } from '../source-reader.js';
import type { PodAnswer, PodOptions, PodRequest } from './pod-request.js';

export interface PodQuestionsParts extends Pick<PodOptions, 'url' | 'clock'> {
  readonly request: PodRequest;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
}

/** Requests in a row without any answer that are too many. `again`: for what failed last time. */
const SILENT = { first: 5, again: 2 } as const;

/** Bytes of text that one poll holds beside as much as is kept of the pod: what is left is read by the next one. */
const HELD_BYTES = 10_000_000;
const TOO_MUCH = 'It says more at once than this node holds in memory; the next poll goes on.';

/** What one poll asks a pod, and when it had better ask for nothing more. */
export class PodQuestions {
  /** Why the latest requests, in a row, have had no answer at all; and how many of them are too many. */
  #silence: string[] = [];
  #mostSilent: number = SILENT.first;
  #pause: ReadFailure | undefined;
  #bytesLeft: number;

  constructor(readonly parts: PodQuestionsParts) {
    const { room, most } = parts.limits;
    this.#bytesLeft = Math.max(most.bytes, most.bytes - room.bytes) + HELD_BYTES;
  }

  /** Is the time of the poll over? */
  get isOver(): boolean {
    return this.parts.signal.aborted;
  }

  /** A document or container asks for a pause: nothing more is asked for. */
  get pause(): ReadFailure | undefined {
    return this.#pause;
  }

  /** Why it is better to ask for nothing more, for now. */
  get stop(): ReadFailure | undefined {
    if (this.isOver) return { message: TOO_SLOW };
    if (this.#bytesLeft < 0) return { message: TOO_MUCH };
    if (this.#silence.length < this.#mostSilent) return this.#pause;
    return this.#pause ?? { message: `The pod stopped answering: ${this.#silence.at(-1)}` };
  }

  /** Counts anew how many requests in a row have no answer. */
  begin(round: keyof typeof SILENT): void {
    this.#silence = [];
    this.#mostSilent = SILENT[round];
  }

  /** So many bytes of what was answered are held in memory. */
  hold(bytes: number): void {
    this.#bytesLeft -= bytes;
  }

  /** @param maxMembers of a container; the answer is a document when absent */
  async ask(url: string, before: Validators, maxMembers?: number): Promise<PodAnswer> {
    const { request, signal, clock, url: own } = this.parts;
    const reading = await request({ url, before, maxMembers }, signal);
    throwIfStopped(signal);
    if (reading.kind !== 'failed' || this.isOver) {
      this.#silence = [];
      return reading;
    }
    const { status, message, isSilence, notBefore = 0 } = reading;
    this.#silence = isSilence ? [...this.#silence, message] : [];
    if (url !== own && (status === 429 || notBefore > clock.now())) {
      // Of several, the longest pause counts.
      const longest = Math.max(this.#pause?.notBefore ?? 0, notBefore) || undefined;
      const why = `The pod asks for a pause (${url} answers ${status}); the next poll goes on from here`;
      this.#pause = { message: this.#pause?.message ?? why, notBefore: longest };
    }
    return reading;
  }
}
