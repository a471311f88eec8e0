import fc from 'fast-check';
import { expect } from 'vitest';
import type { ChangesRequest, Page, StatementChange } from '../../src/catalog/catalog.js';
import { CatalogLoader } from '../../src/catalog/catalog-loader.js';
import { ComponentCatalog } from '../../src/catalog/component-catalog.js';
import type { Description } from '../../src/catalog/description.js';
import { documentKey, type Origin, originOf, type Said as Told } from '../../src/catalog/entry.js';
import { POSTED_FIELDS } from '../../src/catalog/postings.js';
import { RememberedStates, type StateBlock } from '../../src/catalog/remembered-states.js';
import type { Removal } from '../../src/catalog/removal.js';
import { canonicalShape, indexedValues } from '../../src/component/canonical-shape.js';
import type { Invocation } from '../../src/component/capability.js';
import type { Metadata } from '../../src/component/metadata.js';
import { compileQuery, type Query } from '../../src/component/query.js';
import { LOCAL } from '../../src/component/source.js';
import { pinText, sinceText, sourceText } from '../../src/component/writing/attribution.js';
import { listingText, servedText } from '../../src/component/writing/listing-text.js';
import { NO_NETWORK } from '../../src/core/network-lists.js';
import { compareStandings } from '../../src/core/precedence.js';
import { compareText } from '../../src/lib/compare-text.js';
import { type Pace, systemPace } from '../../src/lib/pace.js';
import { LEARNED, PEER, POD_A, precedence } from '../registry/sources.js';
import { candidateOf } from '../support/candidate.js';
import { BASE_URL, component, NAMING, VOCABULARY } from '../support/registry.js';

export const ORIGINS = [
  { source: POD_A, document: `${POD_A.url}doc` },
  { source: POD_A, document: `${POD_A.url}other` },
  { source: LEARNED, document: LEARNED.url },
  { source: PEER, document: `${PEER.url}/doc` },
  { source: LOCAL, document: LOCAL.url },
].map((statement) => originOf(statement, precedence));

/** What the catalog is told, with the metadata that the model filters. */
export type Said = Told & { readonly metadata: Metadata };

/** The naive model: an array of what is said, filtered and sorted for each question. */
export class Model {
  said: readonly Said[] = [];
  removed: readonly Removal[] = [];

  apply(said: readonly Said[], removed: readonly Removal[]): void {
    const keyOf = (one: Said | Removal) =>
      'origin' in one ? `${one.origin.key} ${one.metadata.uri}` : `${documentKey(one)} ${one.uri}`;
    const named = new Set([...said, ...removed].map(keyOf));
    this.said = [...this.said.filter((one) => !named.has(keyOf(one))), ...said];
    this.removed = [...this.removed.filter((one) => !named.has(keyOf(one))), ...removed];
  }

  /** All that is said of each component, by precedence; the components in the order of uris. */
  components(): Said[][] {
    const uris = [...new Set(this.said.map(({ metadata }) => metadata.uri))].sort(compareText);
    return uris.map((uri) => this.statements(uri));
  }

  statements(uri: string): Said[] {
    const about = this.said.filter(({ metadata }) => metadata.uri === uri);
    return about.sort((one, other) => compareStandings(one.origin.standing, other.origin.standing));
  }

  matching(asked: Query): Said[][] {
    const matches = compileQuery(asked);
    const isFound = ({ metadata, origin }: Said) => {
      const { uri, author, tag, shapes } = metadata;
      const rendered = shapes.map(canonicalShape);
      return (
        (asked.uri === undefined || asked.uri === uri) &&
        (asked.author ?? []).every((one) => author.includes(one)) &&
        (asked.tag ?? []).every((one) => tag.includes(one)) &&
        (asked.shapes ?? []).every((one) => rendered.includes(canonicalShape(one))) &&
        matches(candidateOf(metadata, origin.standing))
      );
    };
    return this.components().filter(([served]) => served && isFound(served));
  }

  /** The latest that happened to each statement, in the order of positions. */
  changes(): (Partial<StatementChange> & { readonly position: number })[] {
    const said = this.said.map(({ origin, metadata, position, stamp, pin }) => {
      const { source, document, rankWithin: rank } = origin;
      const news = pin?.changed === undefined ? undefined : pin;
      return { ...stamp, position, source, document, rank, uri: metadata.uri, metadata, pin: news };
    });
    return [...said, ...this.removed].sort((one, other) => one.position - other.position);
  }

  /** How many of them have each value. */
  counts(matching: readonly Said[][]): Record<string, ReadonlyMap<string, number>> {
    const countsOf = (field: (typeof POSTED_FIELDS)[number]) => {
      const counts = new Map<string, number>();
      for (const [served] of matching)
        for (const value of served ? indexedValues(served.metadata, field) : [])
          counts.set(value, (counts.get(value) ?? 0) + 1);
      return counts;
    };
    return Object.fromEntries(POSTED_FIELDS.map((field) => [field, countsOf(field)]));
  }

  json(matching: readonly Said[][]): string {
    return `[${matching.map(([served]) => (served ? objectOf(served) : '')).join()}]`;
  }
}

export function objectOf({ metadata, origin, pin, stamp }: Said): string {
  const members = pinText(pin) + sourceText(origin.standing) + sinceText(stamp.since ?? stamp.at);
  return servedText(listingText(metadata, VOCABULARY), BASE_URL, members);
}

const pick = <T>(...values: T[]) => fc.constantFrom(...values);
/** Written as JSON, it has what another label is searched by. */
const QUOTING = 'x","label":"one';
const SHAPES = ['http://s/1', 'http://schema.org/Person', 'https://schema.org/Person', 'schema:Person'];

const anyCapability = fc.record(
  {
    action: pick('odrl:display' as const, 'odrl:modify' as const),
    accept: pick(['text/turtle'], ['text/html', 'text/turtle']),
    invocation: pick<Invocation[]>(
      [{ type: 'ac:UriTemplateInvocation', template: '#' }],
      [{ type: 'FragmentInvocation', fragment: '', module: [] }],
    ),
  },
  { requiredKeys: [] },
);

const anyMetadata = fc
  .record({
    name: pick(...'abcdefghijklmnop'),
    label: pick('one', 'two', 'Ärger', QUOTING),
    version: pick(undefined, '1.0.0', '1.2.0', '2.0.0-beta.1'),
    latest: pick(undefined, true, false),
    tag: fc.subarray(['t', 'u', 'v']),
    author: fc.subarray(['Ann', 'Bob']),
    shapes: fc.subarray(SHAPES),
    capability: fc.array(anyCapability, { maxLength: 2 }),
    // Large enough that a dozen components need several runs.
    padding: pick(0, 0, 10, 10, 10, 40_000),
  })
  .map(({ name, label, version, latest, padding, capability, ...lists }): Metadata => {
    const description = padding === 0 ? undefined : `schema:Thing ${QUOTING}${'é'.repeat(padding / 2)}`;
    const single = {
      label,
      version,
      latest,
      description,
      capability: capability.length > 0 ? capability : undefined,
    };
    const given = Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined));
    return component(name, { ...lists, ...given });
  });

const anyEdit = fc.record({
  origin: pick(...ORIGINS),
  metadata: anyMetadata,
  isRemoval: fc.integer({ max: 3, min: 0 }).map((n) => n === 0),
  pin: pick(undefined, undefined, { integrity: 'sha384-a' }, { integrity: 'sha384-a', changed: 'sha384-ü' }),
});

const anyStep = fc.uniqueArray(anyEdit, {
  selector: ({ origin, metadata }) => `${origin.key} ${metadata.uri}`,
  maxLength: 12,
});

const constraints = {
  uri: pick(component('a').uri, component('z').uri),
  label: pick('one', 'none', QUOTING),
  version: pick('^1.0.0', '1.2.0', '*', 'latest', '>=2.0.0-alpha'),
  latest: fc.boolean(),
  tag: fc.subarray(['t', 'u', 'w']),
  author: fc.subarray(['Ann', 'Bob']),
  shapes: fc.subarray(SHAPES),
  source: pick(POD_A.url, LOCAL.url),
  trust: pick('own', 'configured', 'learned'),
  action: pick('odrl:display', 'odrl:modify'),
  accept: pick('text/turtle', 'text/html'),
  invocation: pick('ac:UriTemplateInvocation', 'FragmentInvocation', 'none'),
  q: pick('arger', 'one', 'ann one', 'schema:Person', 'schema:Thing', 'nothing', ' '),
};

/** A few constraints: hardly anything meets many. Those that are answered by lists come more often. */
const anyQuery = fc
  .tuple(
    fc.record(constraints),
    fc.uniqueArray(
      pick<keyof typeof constraints>(
        ...(Object.keys(constraints) as (keyof typeof constraints)[]),
        ...(['tag', 'author', 'shapes', 'q'] as const),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([values, keys]) => Object.fromEntries(keys.map((key) => [key, values[key]])) as Query);

export const anyHistory = fc.array(
  fc.record({
    edits: anyStep,
    queries: fc.array(anyQuery, { minLength: 1, maxLength: 4 }),
    limit: fc.integer({ min: 1, max: 5 }),
  }),
  { minLength: 1, maxLength: 8 },
);

export function feedAt(position: number, floor = 0) {
  return { position, digest: position.toString(16).padStart(32, '7'), floor, sources: [] };
}

/** What a document says of a component from now on, or no longer. */
export interface Edit {
  readonly origin: Origin;
  readonly metadata: Metadata;
  readonly isRemoval?: boolean;
  readonly pin?: Said['pin'];
}

/** A catalog and its model, changed together. */
export class Pair {
  readonly model = new Model();
  catalog!: ComponentCatalog;
  readonly states = new RememberedStates();
  position = 0;

  /** @param removals remembered from the start, of which the model knows nothing */
  static async open(pace: Pace = systemPace, removals: readonly Removal[] = []): Promise<Pair> {
    const pair = new Pair();
    const contents = await new CatalogLoader(NAMING, pace).end(removals, pace());
    pair.catalog = new ComponentCatalog(contents, pace, pair.shown());
    return pair;
  }

  shown(floor = 0) {
    const { position, states } = this;
    const revision = { epoch: 'e', number: position, since: 0 };
    const feed = feedAt(position, floor);
    states.apply(new Map<number, StateBlock>([states.with(feed)]));
    return { revision, networkRevision: revision, feed, network: NO_NETWORK, states };
  }

  /** All that is told, portion after portion. */
  async changes(asked: ChangesRequest): Promise<readonly StatementChange[]> {
    const all: StatementChange[] = [];
    for (let after: number | undefined; ; ) {
      const answer = await this.catalog.changes({ ...asked, after });
      if ('unknown' in answer) throw new Error(answer.unknown);
      if (answer.changes.length > asked.limit) throw new Error('more changes than were asked for');
      all.push(...answer.changes);
      if (answer.next === undefined) return all;
      after = answer.next;
    }
  }

  async apply(edits: readonly Edit[]) {
    const said: Said[] = [];
    const removed: Removal[] = [];
    for (const { origin, metadata, isRemoval, pin } of edits) {
      this.position += 1;
      const { position } = this;
      const stamp = { at: 1000 * position, isUpdate: position % 2 === 0 };
      if (!isRemoval)
        said.push({
          origin,
          metadata,
          listed: listingText(metadata, VOCABULARY),
          position,
          stamp,
          seal: 0,
          pin,
        });
      else {
        const { source, document } = origin;
        removed.push({ position, at: stamp.at, source, document, uri: metadata.uri });
      }
    }
    const changed = await this.catalog.prepare({ said, removed, forgotten: [] });
    this.catalog.show(this.shown(), changed);
    this.model.apply(said, removed);
  }
}

/** What a reader is told of a description, and what is to be expected. */
export const told = ({ metadata, source, document, trust, since, pin }: Description) => ({
  ...{ metadata, source, document, trust, since, pin },
});
export const expected = ({ metadata, origin, stamp, pin }: Said) => {
  const { source, document, trust } = origin.standing;
  return { metadata, source, document, trust, since: stamp.since ?? stamp.at, pin };
};

/** The bytes of a page, which are the same whichever way they are asked for. */
export function bytesOf({ json }: Page): string {
  if (!json) throw new Error('the page has no bytes');
  // The second and third time it may be kept as one piece.
  const [whole, ...again] = [json.whole(), json.whole(), json.whole(), Buffer.concat([...json.pieces()])].map(
    (one) => Buffer.from(one),
  );
  expect(again.every((bytes) => whole?.equals(bytes))).toBe(true);
  expect(whole?.length).toBe(json.bytes);
  return String(whole);
}
