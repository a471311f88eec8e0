import { pinKey } from '../../component/pin.js';
import { candidateOf, compileQuery, type Query, resolveQuery } from '../../component/query.js';
import { sameSource, sourceKey } from '../../component/source.js';
import { type UnknownState, unknownState } from '../../core/feed-window.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { pinOf } from '../../core/pins.js';
import { compareStandings, type Precedence } from '../../core/precedence.js';
import { linesOfKinds } from '../../core/source-digests.js';
import type { Pace } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import type { Catalog, CountedField, Counts } from '../../registry/catalog.js';
import type { Changes, ChangesRequest, StatementChange } from '../../registry/changes.js';
import type { Description } from '../../registry/description.js';
import type { Page, PageRequest } from '../../registry/page.js';
import type { State } from '../../registry/state.js';
import type { MemoryData, MemoryStatement } from './memory-data.js';

/** Descriptions that are handed out at a time. */
const SLICE = 200;

/** What is said, and the statement that says it. */
export interface MemoryDescription extends Description {
  readonly statement: MemoryStatement;
}

/** The descriptions of one component, the served one first. */
type Descriptions = readonly [MemoryDescription, ...MemoryDescription[]];

export interface MemoryCatalogParts {
  readonly data: () => MemoryData;
  readonly precedence: Precedence;
  readonly pace: Pace;
}

/**
 * Answers by looking at everything: as simple as the contract allows, for tests and simulated networks; with pauses, because
 * rehearsals do so in running nodes.
 */
export class MemoryCatalog implements Catalog {
  readonly #data: MemoryCatalogParts['data'];
  readonly #precedence: Precedence;
  readonly #pace: Pace;
  readonly #listeners = new Set<(state: State) => void>();

  constructor({ data, precedence, pace }: MemoryCatalogParts) {
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
    const all = await (document ? this.#saidIn(data, document) : this.#matching(data, query));
    const matching = all.filter(([{ metadata }]) => metadata.uri > after);
    const shown = matching.slice(0, limit);
    const descriptions = shadowed ? shown.flat() : shown.map(([served]) => served);
    return {
      state: data.state,
      next: shown.length < matching.length ? shown.at(-1)?.[0].metadata.uri : undefined,
      descriptions: () => slices(descriptions),
    };
  }

  async statements(uri: string): Promise<readonly Description[]> {
    return this.described(uri);
  }

  described(uri: string): readonly MemoryDescription[] {
    const data = this.#data();
    return this.#described(
      data,
      data.statements.filter((one) => one.uri === uri),
    );
  }

  async counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>> {
    const matching = await this.#matching(this.#data(), query);
    const by = fields.map((field) => [field, countValues(matching, field)] as const);
    return { total: matching.length, by: Object.fromEntries(by) as unknown as Counts<F>['by'] };
  }

  async network(): Promise<NetworkLists> {
    return this.#data().network;
  }

  async changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    const { since, after = since?.position ?? 0, removals = false, uri, source, kinds, limit } = request;
    const { state, states, statements } = this.#data();
    const digest = states.find(({ position }) => position === since?.position)?.digest;
    const unknown = since && unknownState(since, state, digest);
    if (unknown) return unknown;
    const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
    const matching = statements.filter(
      (one) =>
        one.position > after &&
        (one.metadata !== undefined || one.position > removed) &&
        (uri === undefined || one.uri === uri) &&
        (!source || sameSource(one.source, source)) &&
        (!kinds || kinds.includes(one.source.kind)),
    );
    const changes = matching.slice(0, limit).map((one) => this.#change(one));
    const lines = linesOfKinds(state.feed.sources, kinds);
    return {
      ...{ state, changes },
      next: changes.length < matching.length ? changes.at(-1)?.position : undefined,
      sources: since ? lines.filter(({ position }) => position > since.position) : lines,
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
  #described(data: MemoryData, statements: readonly MemoryStatement[]): MemoryDescription[] {
    const { pins } = data;
    return statements
      .flatMap((statement): MemoryDescription[] => {
        const { metadata, at, since = at } = statement;
        if (!metadata) return [];
        const said = { ...this.#precedence.standing(placed(data, statement)), metadata };
        return [{ ...said, since, pin: pinOf(pins.get(pinKey(metadata)), said), statement }];
      })
      .sort(compareStandings);
  }

  /** As the feed tells it. Bytes that are what they were are no news. */
  #change(statement: MemoryStatement): StatementChange {
    const { metadata } = statement;
    if (!metadata) return statement;
    const data = this.#data();
    const place = placed(data, statement);
    const said = { ...this.#precedence.standing(place), metadata };
    const pin = pinOf(data.pins.get(pinKey(metadata)), said);
    const rank = this.#precedence.rankWithin(place);
    return { ...statement, rank, pin: pin?.changed === undefined ? undefined : pin };
  }

  async #saidIn(
    data: MemoryData,
    { source, url }: NonNullable<PageRequest['document']>,
  ): Promise<Descriptions[]> {
    return (await this.#all(data)).flatMap((all): Descriptions[] => {
      const said = all.find(({ statement: one }) => one.document === url && sameSource(one.source, source));
      return said ? [[said === all[0] ? said : { ...said, isShadowed: true }]] : [];
    });
  }

  /** Everything, in the order of uris. */
  async #all(data: MemoryData): Promise<Descriptions[]> {
    const breathe = this.#pace();
    const byUri = new Map<string, MemoryStatement[]>();
    for (const one of data.statements) {
      byUri.set(one.uri, [...(byUri.get(one.uri) ?? []), one]);
      const pause = breathe();
      if (pause) await pause;
    }
    const all: Descriptions[] = [];
    for (const uri of await sortedBy([...byUri.keys()], (key) => key, breathe)) {
      const [served, ...others] = this.#described(data, byUri.get(uri) ?? []);
      if (served) all.push([served, ...others]);
      const pause = breathe();
      if (pause) await pause;
    }
    return all;
  }

  async #matching(data: MemoryData, query: Query): Promise<Descriptions[]> {
    const all = await this.#all(data);
    const isRendered = (shape: string) => all.some(([{ metadata }]) => metadata.shapes.includes(shape));
    const matches = compileQuery(resolveQuery(query, isRendered));
    return all.filter(([served]) => matches(candidateOf(served.metadata, served)));
  }
}

/** With what is remembered of the document that says it. */
function placed({ sources }: MemoryData, { source, document }: MemoryStatement) {
  const { authority } = sources.get(sourceKey(source))?.documents.get(document) ?? {};
  return { source, document, authority };
}

async function* slices(descriptions: readonly Description[]): AsyncGenerator<readonly Description[]> {
  for (let at = 0; at < descriptions.length; at += SLICE) yield descriptions.slice(at, at + SLICE);
}

function countValues(matching: readonly Descriptions[], field: CountedField): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [{ source, metadata }] of matching) {
    for (const value of field === 'source' ? [sourceKey(source)] : metadata[field]) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}
