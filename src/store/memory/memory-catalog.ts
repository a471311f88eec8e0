import { indexedValues } from '../../component/canonical-shape.js';
import { pinKey } from '../../component/pin.js';
import { candidateOf, compileQuery, type Query, resolveQuery } from '../../component/query.js';
import { isOfSource, sameSource, sourceKey } from '../../component/source.js';
import { type UnknownState, unknownState } from '../../core/feed-window.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { newsOf, pinOf } from '../../core/pins.js';
import { compareStandings, type Precedence } from '../../core/precedence.js';
import { summariesFor } from '../../core/source-digests.js';
import type { Breather, Pace } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Changes, ChangesRequest, StatementChange } from '../../registry/changes.js';
import type { CountedField, Counts } from '../../registry/counts.js';
import type { Description } from '../../registry/description.js';
import type { Page, PageRequest } from '../../registry/page.js';
import type { State } from '../../registry/state.js';
import type { LoadOptions } from '../registry-store.js';
import type { MemoryData, MemoryStatement } from './memory-data.js';

/** Descriptions that are handed out at a time. */
const SLICE = 200;

/** What is said, and the statement that says it. */
export interface MemoryDescription extends Description {
  readonly statement: MemoryStatement;
}

/** All that is said of one component. */
type Statements = readonly MemoryStatement[];

/**
 * Answers by looking at everything: as simple as the contract allows, for tests and simulated networks; with pauses, because
 * rehearsals do so in running nodes.
 */
export class MemoryCatalog implements Catalog {
  readonly #data: () => MemoryData;
  readonly #precedence: Precedence;
  readonly #pace: Pace;
  readonly #listeners = new Set<(state: State) => void>();

  constructor(data: () => MemoryData, { precedence, pace }: Pick<LoadOptions, 'precedence' | 'pace'>) {
    this.#data = data;
    this.#precedence = precedence;
    this.#pace = pace;
  }

  async state(): Promise<State> {
    return this.#data().state;
  }

  async page(
    query: Query,
    { limit, after = '', shadowed = false, document }: PageRequest = {},
  ): Promise<Page> {
    const data = this.#data();
    const all = await (document ? componentsIn(data, this.#pace(), document) : this.#matching(data, query));
    const matching = all.filter(([first]) => first !== undefined && first.uri > after);
    const shown = matching.slice(0, limit);
    const describe = (statements: Statements): readonly Description[] => {
      const descriptions = this.#described(statements, data);
      if (document) return saidIn(descriptions, document);
      return shadowed ? descriptions : descriptions.slice(0, 1);
    };
    return {
      state: data.state,
      next: shown.length < matching.length ? shown.at(-1)?.[0]?.uri : undefined,
      descriptions: () => slices(shown, describe),
    };
  }

  async statements(uri: string): Promise<readonly Description[]> {
    return this.described(uri);
  }

  described(uri: string): readonly MemoryDescription[] {
    const data = this.#data();
    return this.#described(
      [...data.statements.values()].filter((one) => one.uri === uri),
      data,
    );
  }

  async counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>> {
    const data = this.#data();
    const all = await this.#matching(data, query);
    const matching = all.flatMap((one) => this.#described(one, data).slice(0, 1));
    const by = fields.map((field) => [field, countValues(matching, field)] as const);
    return { total: matching.length, by: Object.fromEntries(by) as unknown as Counts<F>['by'] };
  }

  async network(): Promise<NetworkLists> {
    return this.#data().network;
  }

  async changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    const { since, after = since?.position ?? 0, removals = false, uri, limit } = request;
    const { state, states, statements } = this.#data();
    const digest = states.find(({ position }) => position === since?.position)?.digest;
    const unknown = since && unknownState(since, state, digest);
    if (unknown) return unknown;
    const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
    const matching = [...statements.values()].filter(
      (one) =>
        one.position > after &&
        (one.metadata !== undefined || one.position > removed) &&
        (uri === undefined || one.uri === uri) &&
        isOfSource(one.source, request),
    );
    const changes = matching.slice(0, limit).map((one) => this.#change(one));
    return {
      state,
      changes,
      next: changes.length < matching.length ? changes.at(-1)?.position : undefined,
      sources: summariesFor(state.feed.sources, request),
    };
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(state: State): void {
    for (const listener of this.#listeners) listener(state);
  }

  /** What statements about one component say, the served one first. */
  #described(statements: Statements, data: MemoryData): MemoryDescription[] {
    return statements
      .flatMap((statement): MemoryDescription[] => {
        const { metadata, at, since = at } = statement;
        if (!metadata) return [];
        const said = { ...this.#precedence.standing(placed(statement, data)), metadata };
        return [{ ...said, since, pin: pinOf(data.pins.get(pinKey(metadata)), said), statement }];
      })
      .sort(compareStandings);
  }

  /** As the feed tells it. */
  #change(statement: MemoryStatement): StatementChange {
    const [said] = this.#described([statement], this.#data());
    if (!said) return statement;
    const rank = this.#precedence.rankWithin(placed(statement, this.#data()));
    return { ...statement, rank, pin: newsOf(said.pin) };
  }

  async #matching(data: MemoryData, query: Query): Promise<readonly Statements[]> {
    const all = await componentsIn(data, this.#pace());
    if (Object.values(query).every((value) => value === undefined)) return all;
    const served = (one: Statements) => this.#described(one, data).slice(0, 1);
    const isRendered = (shape: string) =>
      all.some((one) =>
        served(one).some(({ metadata }) => indexedValues(metadata, 'shapes').includes(shape)),
      );
    const matches = compileQuery(resolveQuery(query, isRendered));
    return all.filter((one) => served(one).some((first) => matches(candidateOf(first.metadata, first))));
  }
}

/** The components, in the order of uris: all, or those that a document describes. */
async function componentsIn(
  { statements }: MemoryData,
  breathe: Breather,
  document?: PageRequest['document'],
): Promise<readonly Statements[]> {
  const byUri = new Map<string, MemoryStatement[]>();
  for (const one of statements.values()) {
    await breathe();
    const known = byUri.get(one.uri);
    if (known && one.metadata) known.push(one);
    else if (one.metadata) byUri.set(one.uri, [one]);
  }
  const all = await sortedBy([...byUri.values()], ([first]) => first?.uri ?? '', breathe);
  return document ? all.filter((component) => component.some((one) => isIn(one, document))) : all;
}

type Asked = NonNullable<PageRequest['document']>;

function isIn({ source, document }: MemoryStatement, asked: Asked): boolean {
  return document === asked.url && sameSource(source, asked.source);
}

function saidIn(descriptions: readonly MemoryDescription[], document: Asked): Description[] {
  const said = descriptions.filter(({ statement }) => isIn(statement, document));
  return said.map((one) => (one === descriptions[0] ? one : { ...one, isShadowed: true }));
}

/** With what is remembered of the document that says it. */
function placed({ source, document }: MemoryStatement, { sources }: MemoryData) {
  const { authority } = sources.get(sourceKey(source))?.documents.get(document) ?? {};
  return { source, document, authority };
}

async function* slices(
  components: readonly Statements[],
  describe: (statements: Statements) => readonly Description[],
): AsyncGenerator<readonly Description[]> {
  for (let at = 0; at < components.length; at += SLICE)
    yield components.slice(at, at + SLICE).flatMap(describe);
}

function countValues(matching: readonly Description[], field: CountedField): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { source, metadata } of matching) {
    for (const value of field === 'source' ? [sourceKey(source)] : indexedValues(metadata, field)) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}
