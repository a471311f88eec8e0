import { type Source, sourceKey } from '../../component/precedence.js';
import type { Clock } from '../../lib/clock.js';
import type { SourceLine } from '../../registry/feed.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { State } from '../../registry/state.js';
import { fingerprintOf } from '../entity-tags.js';
import { cursorIn, lineObject } from './feed-json.js';

/** How long a pod may fail until it does not count as read by this node any more, in ms. */
const FAILING_TOO_LONG = 60 * 60_000;

export interface ObservationParts {
  readonly registry: () => Pick<Registry, 'source'>;
  readonly clock: Clock;
}

/** When this node has seen pods that it reads itself, by the pods' own clocks; by `sourceKey`. */
export type Observations = ReadonlyMap<string, number>;

/** Of those pods among the sources that this node reads itself, and that do not fail for long. */
export async function observationsOf(
  sources: readonly Source[],
  { registry, clock }: ObservationParts,
): Promise<Observations> {
  const seen = new Map<string, number>();
  for (const source of sources) {
    if (source.kind !== 'pod') continue;
    const observed = observedIn((await registry().source(source))?.record, clock.now());
    if (observed !== undefined) seen.set(sourceKey(source), observed);
  }
  return seen;
}

/** How long what was looked up of all pods is told to everybody who asks, in ms. */
const LOOKED_UP_EVERY = 5_000;

/**
 * The observations of all pods, looked up at most once in five seconds, whoever asks: with a database, each pod is a
 * question to it. What is told is older than what is stored by no more than that, which is on the safe side.
 */
export class RecentObservations {
  readonly #parts: ObservationParts;
  #at = 0;
  #latest: Promise<Observations> | undefined;

  constructor(parts: ObservationParts) {
    this.#parts = parts;
  }

  /** @param sources those of the state of now */
  of(sources: readonly Source[]): Promise<Observations> {
    const age = this.#parts.clock.now() - this.#at;
    if (this.#latest && age >= 0 && age < LOOKED_UP_EVERY) return this.#latest;
    this.#at = this.#parts.clock.now();
    const latest = observationsOf(sources, this.#parts);
    this.#latest = latest;
    // Who asks next tries again; who has asked gets the reason.
    latest.catch(() => {
      if (this.#latest === latest) this.#latest = undefined;
    });
    return latest;
  }
}

function observedIn(record: SourceRecord | undefined, now: number): number | undefined {
  const { observed, failingSince } = record ?? {};
  return failingSince !== undefined && now - failingSince > FAILING_TOO_LONG ? undefined : observed;
}

/** The line of a source with what was seen of it. */
export function observedLine(line: SourceLine, seen: Observations) {
  const observed = seen.get(sourceKey(line.source));
  return { ...lineObject(line), ...(observed === undefined ? {} : { observed }) };
}

/**
 * The tag of a page with observations: it moves with the state, and with which pods are read. That these have been seen
 * again moves nothing, so that who asks in an idle network gets a 304: the tag is a weak one (RFC 9110, section 8.8.1).
 * One without observations is as strong as the page allows.
 */
export function observationsTag(state: State, seen: Observations, isWeak = false): string {
  if (seen.size === 0) return `${isWeak ? 'W/' : ''}"${cursorIn(state)}"`;
  return `W/"${cursorIn(state)}.${fingerprintOf([...seen.keys()].sort())}"`;
}
