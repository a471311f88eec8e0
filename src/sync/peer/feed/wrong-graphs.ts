import type { InvalidComponent } from '../../../core/document-record.js';
import type { StoredDocument } from '../../../core/source-record.js';
import { invalidComponents } from '../../invalid-components.js';
import type { WrongChange } from '../feed-page.js';

/** A document of which nothing is taken. */
interface RefusedGraph {
  readonly of: string;
  readonly graph: string;
  readonly message: string;
}

/** Wrong descriptions of one document that are named. */
const NAMED = 100;
/** Characters of what is said of a document. */
const LONGEST_MESSAGE = 500;

/** What one poll of a peer's feed has read and cannot take: by source and graph, components, or all of a graph. */
export class WrongGraphs {
  readonly #refused = new Map<string, Map<string, RefusedGraph>>();
  readonly #invalid = new Map<string, Map<string, Map<string, string>>>();

  /** Documents of which nothing is taken. */
  get refused(): readonly RefusedGraph[] {
    return [...this.#refused.values()].flatMap((graphs) => [...graphs.values()]);
  }

  /** Sources some of whose documents have wrong descriptions. */
  get sources(): readonly string[] {
    return [...this.#invalid.keys()];
  }

  get size(): number {
    return [...this.#refused.values()].reduce((sum, { size }) => sum + size, 0);
  }

  add({ of, graph, uri, wrong }: WrongChange): void {
    const message = wrong.message.slice(0, LONGEST_MESSAGE);
    if (uri === undefined) entry(this.#refused, of).set(graph, { of, graph, message });
    else {
      const invalid = entry(entry(this.#invalid, of), graph);
      if (invalid.size < NAMED) invalid.set(uri, message);
    }
  }

  clear(): void {
    this.#refused.clear();
    this.#invalid.clear();
  }

  delete(of: string): void {
    this.#refused.delete(of);
    this.#invalid.delete(of);
  }

  /**
   * The wrong descriptions of a document once what has been read is stored; undefined when there are none.
   * @param told the uris of which something has been read
   */
  invalidIn(
    of: string,
    graph: string,
    stored: StoredDocument | undefined,
    told: ReadonlySet<string>,
  ): readonly InvalidComponent[] | undefined {
    const found = this.#invalid.get(of)?.get(graph) ?? new Map<string, string>();
    const before = (stored?.invalid ?? []).filter(({ subject }) => !told.has(subject));
    const named = [...found].map(([subject, detail]) => ({ subject, faults: [{ pointer: '', detail }] }));
    const all = [...before, ...invalidComponents(named)].slice(0, NAMED);
    return all.length === 0 ? undefined : all;
  }
}

function entry<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const found = map.get(key) ?? new Map<L, V>();
  map.set(key, found);
  return found;
}
