import type { Source } from '../../component/precedence.js';
import type { Registry } from '../../registry/registry.js';
import { type Coverage, coverageOf } from '../coverage.js';
import { relayPolicy, skippedPods, supersede, union } from '../relay-policy.js';

/**
 * Knows which pods this node has read itself. From then on it takes their documents from nobody else, and gives
 * up what it took before: otherwise a document that its author deletes would live on with the peers that relay it.
 */
export class OwnReading {
  readonly #registry: Pick<Registry, 'commit' | 'source'>;
  readonly #pods = new Set<string>();
  #coverage: Coverage = coverageOf([]);

  constructor(registry: Pick<Registry, 'commit' | 'source'>) {
    this.#registry = registry;
  }

  get coverage(): Coverage {
    return this.#coverage;
  }

  /** A pod has been read; true when that is news. */
  add(pod: string): boolean {
    if (this.#pods.has(pod)) return false;
    this.#pods.add(pod);
    this.#coverage = coverageOf(this.#pods);
    return true;
  }

  /** A pod is read no more. */
  delete(pod: string): void {
    if (this.#pods.delete(pod)) this.#coverage = coverageOf(this.#pods);
  }

  /** Drops what was taken from the peer and is read here by now. */
  async dropSuperseded(peer: Source): Promise<void> {
    const policy = relayPolicy(peer.url, this.#coverage);
    const { documents, skipped } = supersede(await this.#registry.source(peer), policy);
    if (documents.length === 0) return;
    await this.#registry.commit({
      source: peer,
      documents,
      record: (current) => ({ ...current, skipped: union(skippedPods(current), skipped) }),
    });
  }
}
