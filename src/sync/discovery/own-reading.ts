import type { Source } from '../../component/precedence.js';
import type { Pace } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import { type Coverage, coverageOf } from '../coverage.js';
import { alsoRefused, relayPolicy, skippedPods, supersede, union } from '../relay-policy.js';

/**
 * Knows which pods this node has read itself. From then on it accepts their documents from no peer, and drops those
 * that it accepted before: otherwise a document that its author deletes would live on with the peers that relay it.
 */
export class OwnReading {
  readonly #registry: Pick<Registry, 'commit' | 'source'>;
  readonly #pods = new Set<string>();
  readonly #pace: Pace;
  /** Made when it is asked for: at the start, a thousand pods are added one after the other. */
  #coverage: Coverage | undefined;

  constructor(registry: Pick<Registry, 'commit' | 'source'>, pace: Pace) {
    this.#registry = registry;
    this.#pace = pace;
  }

  /** The pods that this node has read itself, as of now. */
  get coverage(): Coverage {
    this.#coverage ??= coverageOf(this.#pods);
    return this.#coverage;
  }

  /** Notes that a pod has been read; true when that was not known. */
  add(pod: string): boolean {
    if (this.#pods.has(pod)) return false;
    this.#pods.add(pod);
    this.#coverage = undefined;
    return true;
  }

  /** Notes that a pod is not read any more. */
  delete(pod: string): void {
    if (this.#pods.delete(pod)) this.#coverage = undefined;
  }

  /** Drops the peer's documents that are not accepted any more. `notAccepted`: see `relayPolicy`. */
  async dropSuperseded(peer: Source, notAccepted: Coverage): Promise<void> {
    const policy = relayPolicy(peer.url, notAccepted);
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
