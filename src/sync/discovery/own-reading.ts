import { type Source, sourceKey } from '../../component/precedence.js';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceRecord } from '../../registry/source-record.js';
import { type Coverage, coverageOf } from '../coverage.js';
import { alsoRefused, type Refusing, relayPolicy, skippedPods, supersede, union } from '../relay-policy.js';
import { AwaitedPods } from './awaited-pods.js';

/**
 * Knows which pods this node has read itself. From then on it accepts their documents from no peer, and drops those
 * that it accepted before: otherwise a document that its author deletes would live on with the peers that relay it.
 * What peers say of a pod that is about to be read waits until that has been tried, and is asked for when it has failed.
 */
export class OwnReading {
  readonly #registry: Pick<Registry, 'commit' | 'source'>;
  readonly #pods = new Set<string>();
  readonly #awaited: AwaitedPods;
  /** Pods that could not be read so far, and the peers that were asked again for what was not taken of them meanwhile. */
  readonly #failed = new Map<string, Set<string>>();
  readonly #pace: Pace;
  /** Made when it is asked for: at the start, a thousand pods are added one after the other. */
  #coverage: Coverage | undefined;

  constructor(
    registry: Pick<Registry, 'commit' | 'source'>,
    { clock, pace }: { readonly clock: Clock; readonly pace: Pace },
  ) {
    this.#registry = registry;
    this.#awaited = new AwaitedPods(clock);
    this.#pace = pace;
  }

  /** The pods that this node has read itself, as of now. */
  get coverage(): Coverage {
    this.#coverage ??= coverageOf(this.#pods);
    return this.#coverage;
  }

  /** The pods that it is about to read for the first time, as of now. */
  get awaited(): Coverage {
    return this.#awaited.coverage;
  }

  /** Notes that pods are going to be read from now on. */
  begin(pods: Iterable<{ readonly url: string }>): void {
    for (const { url } of pods) this.#awaited.begin(url);
  }

  /** Notes that it was tried before to read a pod. */
  tried(pod: string): void {
    this.#awaited.end(pod);
  }

  /** Notes that a pod could not be read; true when it never could, and that was not known. */
  fail(pod: string): boolean {
    this.#awaited.end(pod);
    if (this.#pods.has(pod) || this.#failed.has(pod)) return false;
    this.#failed.set(pod, new Set());
    return true;
  }

  /**
   * Is a peer to be asked again, because something of a pod was not taken from it that this node could not read after all?
   * True once for each pod: of a peer whose listing cannot be read to its end, the same is skipped in each poll.
   */
  takeWanted(
    peer: string,
    record: SourceRecord | undefined,
    isTakenElsewhere: Refusing['isTakenElsewhere'],
  ): boolean {
    if (this.#failed.size === 0) return false;
    const wanted = skippedPods(record).filter((pod) => {
      const isElsewhere = isTakenElsewhere?.(sourceKey({ kind: 'pod', url: pod }));
      return !isElsewhere && this.#failed.get(pod)?.has(peer) === false;
    });
    for (const pod of wanted) this.#failed.get(pod)?.add(peer);
    return wanted.length > 0;
  }

  /** Notes that a pod has been read; true when that was not known. */
  add(pod: string): boolean {
    this.#awaited.end(pod);
    this.#failed.delete(pod);
    if (this.#pods.has(pod)) return false;
    this.#pods.add(pod);
    this.#coverage = undefined;
    return true;
  }

  /** Notes that a pod is not read any more. */
  delete(pod: string): void {
    this.#awaited.end(pod);
    this.#failed.delete(pod);
    if (this.#pods.delete(pod)) this.#coverage = undefined;
  }

  /** Drops the peer's documents that are not accepted any more. */
  async dropSuperseded(peer: Source, refusing: Refusing): Promise<void> {
    const policy = relayPolicy(peer.url, refusing);
    const stored = await this.#registry.source(peer);
    const { documents, skipped, refused } = await supersede(stored, policy, this.#pace());
    if (documents.length === 0) return;
    await this.#registry.commit({
      source: peer,
      documents,
      record: (current) => ({
        ...current,
        skipped: union(skippedPods(current), skipped),
        ...(refused.size === 0 ? {} : { refused: alsoRefused(current.refused, refused) }),
      }),
    });
  }
}
