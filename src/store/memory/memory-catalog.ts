import { pinKey } from '../../component/pin.js';
import { candidateOf, compileQuery, type Query, resolveQuery } from '../../component/query.js';
import { type Source, sourceKey } from '../../component/source.js';
import type { UnknownState } from '../../core/feed-window.js';
import { unknownState } from '../../core/feed-window.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { pinOf } from '../../core/pins.js';
import { compareStandings, type Precedence } from '../../core/precedence.js';
import { compareText } from '../../lib/compare-text.js';
import type { Catalog, CountedField, Counts } from '../../registry/catalog.js';
import type { Changes, ChangesRequest } from '../../registry/changes.js';
import type { Description } from '../../registry/description.js';
import { NO_FEED } from '../../registry/feed.js';
import type { Page, PageRequest } from '../../registry/page.js';
import type { State } from '../../registry/state.js';
import { type MemoryData, type MemorySource, type MemoryStatement, NO_DATA } from './memory-data.js';
import { changesIn, stateAt } from './memory-feed.js';

/** Descriptions that are handed out at a time. */
const SLICE = 200;

/** What is said, and the document that it is stored of. */
export interface HeldDescription extends Description {
  readonly of: { readonly source: Source; readonly document: string };
}

/** The descriptions of one component, the served one first. */
type Statements = readonly [HeldDescription, ...HeldDescription[]];

/** A source that differs from what it was. */
export interface ShownChange {
  readonly source: Source;
  /** Its documents as they are now; none when the source is forgotten. */
  readonly documents: MemorySource['documents'];
  /** The components of which a document says something else than before, or in another place; by document. */
  readonly differing: Iterable<readonly [document: string, uris: Iterable<string>]>;
}

/** What the data looks like to readers in one state. Never changed. */
interface View {
  readonly state: State;
  readonly data: MemoryData;
}

/** Answers by looking at everything: as simple as the contract allows, for tests and simulated networks. */
export class MemoryCatalog implements Catalog {
  readonly #precedence: Precedence;
  readonly #listeners = new Set<(state: State) => void>();
  #view: View = {
    state: { revision: NOWHERE, networkRevision: NOWHERE, components: 0, feed: NO_FEED },
    data: NO_DATA,
  };
  /** What is said of each component, as of the view. */
  readonly #byUri = new Map<string, Statements>();
  /** In the order of the listing; made when they are asked for. */
  #uris: readonly string[] | undefined;

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  async state(): Promise<State> {
    return this.#view.state;
  }

  async page(query: Query, { limit, after, shadowed = false, document }: PageRequest = {}): Promise<Page> {
    const matching = (document ? this.#saidIn(document) : this.#matching(query)).filter(
      ([served]) => after === undefined || served.metadata.uri > after,
    );
    const shown = matching.slice(0, limit);
    const last = shown.at(-1)?.[0].metadata.uri;
    const descriptions = shadowed ? shown.flat() : shown.map(([served]) => served);
    return {
      state: this.#view.state,
      ...(shown.length < matching.length && last !== undefined ? { next: last } : {}),
      descriptions: () => slices(descriptions),
    };
  }

  async statements(uri: string): Promise<readonly Description[]> {
    return this.statementsNow(uri);
  }

  statementsNow(uri: string): readonly HeldDescription[] {
    return this.#byUri.get(uri) ?? [];
  }

  async counts<F extends CountedField>(query: Query, fields: readonly F[]): Promise<Counts<F>> {
    const matching = this.#matching(query);
    const by = fields.map((field) => [field, countValues(matching, field)] as const);
    return { total: matching.length, by: Object.fromEntries(by) as unknown as Counts<F>['by'] };
  }

  async network(): Promise<NetworkLists> {
    return this.#view.data.network;
  }

  async changes(request: ChangesRequest): Promise<Changes | UnknownState> {
    const { since } = request;
    const { state, data } = this.#view;
    const unknown = since && unknownState(since, state, stateAt(data.feed, since.position));
    return unknown ?? changesIn(data, state, request, this.#precedence);
  }

  watch(listener: (state: State) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Shows readers other data. `changed`: the only source that differs; none, when only the network lists do. Without it,
   * everything is looked at.
   */
  show(data: MemoryData, state: Omit<State, 'components'>, changed?: ShownChange | 'none'): void {
    if (changed !== 'none') this.#uris = undefined;
    if (changed === undefined) {
      this.#byUri.clear();
      for (const source of data.sources.values()) this.#update(allOf(source), data);
    } else if (changed !== 'none') this.#update(changed, data);
    this.#view = { state: { ...state, components: this.#byUri.size }, data };
    for (const listener of this.#listeners) listener(this.#view.state);
  }

  /** Puts what a source says of each component in its place among what others say; looks only at what differs. */
  #update({ source, documents, differing }: ShownChange, { pins }: MemoryData): void {
    const key = sourceKey(source);
    for (const [document, uris] of differing) {
      const is = documents.get(document);
      const authority = is?.record.authority;
      const standing = this.#precedence.standing({ source, document, authority });
      const who = { ...standing, of: { source, document } };
      for (const uri of uris) {
        const others = (this.#byUri.get(uri) ?? []).filter(
          ({ of }) => of.document !== document || sourceKey(of.source) !== key,
        );
        const said = is?.components.get(uri);
        const description = said && describedBy(said, who, pins);
        const all = description ? [...others, description] : others;
        const [first, ...more] = all.sort(compareStandings);
        if (first) this.#byUri.set(uri, [first, ...more]);
        else this.#byUri.delete(uri);
      }
    }
  }

  #saidIn({ source, url }: NonNullable<PageRequest['document']>): Statements[] {
    const key = sourceKey(source);
    const uris = this.#view.data.sources.get(key)?.documents.get(url)?.components.keys() ?? [];
    return [...uris].sort(compareText).flatMap((uri): Statements[] => {
      const all = this.#byUri.get(uri) ?? [];
      const said = all.find(({ of }) => of.document === url && sourceKey(of.source) === key);
      return said ? [[shadowedBy(all[0], said)]] : [];
    });
  }

  #matching(query: Query): Statements[] {
    this.#uris ??= [...this.#byUri.keys()].sort(compareText);
    const all = this.#uris.map((uri) => this.#byUri.get(uri) as Statements);
    if (Object.keys(query).length === 0) return all;
    const isRendered = (shape: string) => all.some(([{ metadata }]) => metadata.shapes.includes(shape));
    const matches = compileQuery(resolveQuery(query, isRendered));
    return all.filter(([served]) => matches(candidateOf(served.metadata, served)));
  }
}

/** A description that is known not to be served. */
function shadowedBy(served: HeldDescription | undefined, one: HeldDescription): HeldDescription {
  return served === one ? one : { ...one, isShadowed: true };
}

const NOWHERE = { epoch: '', number: 0, since: 0 };

async function* slices(descriptions: readonly Description[]): AsyncGenerator<readonly Description[]> {
  for (let at = 0; at < descriptions.length; at += SLICE) yield descriptions.slice(at, at + SLICE);
}

function countValues(matching: readonly Statements[], field: CountedField): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [{ source, metadata }] of matching) {
    for (const value of field === 'source' ? [sourceKey(source)] : metadata[field]) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

/** Everything that a source says, as if it had been nothing before. */
function allOf({ source, documents }: MemorySource): ShownChange {
  const differing = [...documents].map(([url, { components }]) => [url, components.keys()] as const);
  return { source, documents, differing };
}

function describedBy(
  { metadata, at, since = at }: MemoryStatement,
  who: Omit<HeldDescription, 'metadata' | 'since' | 'pin'>,
  pins: MemoryData['pins'],
): HeldDescription {
  const pin = pinOf(pins.get(pinKey(metadata)), { ...who, metadata });
  return { ...who, metadata, since, ...(pin ? { pin } : {}) };
}
