import type { Naming } from '../component/naming.js';
import { createVocabulary } from '../component/vocabulary.js';
import { type ConfiguredSources, type Precedence, precedenceOf } from '../core/precedence.js';
import type { Serving } from './commit-contents.js';
import type { Showing } from './load.js';

export interface PresentationOptions extends Naming {
  /** The configured sources, which all nodes that share the data order in the same way. */
  readonly order: ConfiguredSources;
  /** Makes the order of statements; another one is only for tests. */
  readonly precedenceOf?: (configured: ConfiguredSources) => Precedence;
}

/**
 * How what is stored is shown: under which addresses, in which vocabulary and order. It is as this node is configured, until another
 * node on the same data is started with another configuration.
 */
export class Presentation implements Showing {
  readonly #precedenceOf: (configured: ConfiguredSources) => Precedence;
  #naming: Naming;
  #order: ConfiguredSources;
  #precedence: Precedence;

  constructor({ baseUrl, vocabulary, order, precedenceOf: made = precedenceOf }: PresentationOptions) {
    this.#precedenceOf = made;
    this.#naming = { baseUrl, vocabulary };
    this.#order = order;
    this.#precedence = made(order);
  }

  get naming(): Naming {
    return this.#naming;
  }

  get precedence(): Precedence {
    return this.#precedence;
  }

  /** Is everything shown as this says? */
  is({ baseUrl, namespace, order }: Serving): boolean {
    const { baseUrl: base, vocabulary } = this.#naming;
    const shown = [base, vocabulary.namespace, this.#order.pods, this.#order.peers];
    return JSON.stringify(shown) === JSON.stringify([baseUrl, namespace, order.pods, order.peers]);
  }

  /** Shows everything as this says from now on, where something is said. */
  follow(serving: Serving | undefined): this {
    if (!serving || this.is(serving)) return this;
    const { baseUrl, namespace, order } = serving;
    this.#naming = { baseUrl, vocabulary: createVocabulary(namespace) };
    this.#order = order;
    this.#precedence = this.#precedenceOf(order);
    return this;
  }
}
