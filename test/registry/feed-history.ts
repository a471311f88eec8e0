import fc from 'fast-check';
import { expect } from 'vitest';
import type { Changes, StatementChange } from '../../src/catalog/catalog.js';
import { LOCAL, type Source, sourceKey } from '../../src/component/source.js';
import { digestElement, payloadHash } from '../../src/component/statement-digest.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import type { Clock } from '../../src/lib/clock.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import type { Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { OK, PEER, POD_A, precedence } from './sources.js';

/** What happens to a registry that is followed. */
type Event =
  | { readonly kind: 'say'; readonly source: Source; readonly document: number; readonly labels: string[] }
  | { readonly kind: 'post'; readonly put: string[]; readonly remove: string[] }
  | { readonly kind: 'forget'; readonly source: Source }
  | { readonly kind: 'restart' }
  | { readonly kind: 'follow'; readonly reader: number; readonly limit: number };

const NAMES = ['a', 'b', 'c', 'd'];
const READERS = 3;

/** For each component, the label that it has, or none. */
const labels = fc.array(fc.constantFrom('', '1', '2'), { minLength: NAMES.length, maxLength: NAMES.length });
const names = fc.subarray(NAMES);

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('say' as const),
      source: fc.constantFrom(POD_A, PEER),
      document: fc.nat(1),
      labels,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('post' as const), put: names, remove: names }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('forget' as const), source: fc.constantFrom(POD_A, PEER) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      reader: fc.nat(READERS - 1),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
);

/** A copy of the registry that knows nothing but what it is told. */
class Follower {
  readonly #statements = new Map<string, StatementChange>();
  #since: Cursor | undefined;

  async follow({ catalog }: TestRegistry, limit: number): Promise<void> {
    let after: number | undefined;
    let since = this.#since;
    for (let page: Changes | undefined; !page || page.next !== undefined; ) {
      const answer = await catalog.changes({ since, after, limit });
      if ('unknown' in answer) throw new Error(`The state is unknown: ${answer.unknown}`);
      page = answer;
      for (const change of page.changes) this.#apply(change);
      since ??= cursorOf(page.state);
      after = page.next;
      this.#since = cursorOf(page.state);
    }
    const { feed } = await catalog.state();
    expect(this.#digests()).toEqual(
      new Map(feed.sources.map(({ source, digest }) => [sourceKey(source), digest])),
    );
  }

  #apply(change: StatementChange): void {
    const key = `${sourceKey(change.source)} ${change.document} ${change.uri}`;
    if (change.metadata) this.#statements.set(key, change);
    else this.#statements.delete(key);
  }

  #digests(): Map<string, string> {
    const hashes = new Map<string, LtHash>();
    for (const { source, document, uri, metadata } of this.#statements.values()) {
      const hash = hashes.get(sourceKey(source)) ?? LtHash.empty();
      hash.add(digestElement({ document, uri, hash: metadata ? payloadHash(metadata) : '' }));
      hashes.set(sourceKey(source), hash);
    }
    return new Map([...hashes].map(([key, hash]) => [key, hash.digest()]));
  }
}

/** A history of a registry and its followers: run, it checks after each reading that the copy equals its origin. */
export const feedHistory = fc
  .array(event, { minLength: 4, maxLength: 24 })
  .map((events) => async (engine: Engine, clock: Clock) => {
    const options = { precedence, clock };
    let registry = await engine.open(options);
    const readers = Array.from({ length: READERS }, () => new Follower());
    for (const each of events) {
      if (each.kind === 'restart') {
        await registry.close();
        registry = await engine.open(options);
      } else if (each.kind === 'follow') {
        await readers[each.reader]?.follow(registry, each.limit);
      } else {
        await change(registry, each);
      }
    }
    for (const reader of readers) await reader.follow(registry, 3);
    await registry.close();
  });

async function change(
  registry: TestRegistry,
  event: Exclude<Event, { kind: 'restart' } | { kind: 'follow' }>,
): Promise<void> {
  if (event.kind === 'forget') return registry.forget(event.source);
  if (event.kind === 'post') {
    const remove = event.remove.map((name) => component(name).uri);
    await registry.commitOwn({ put: event.put.map((name) => component(name)), remove });
    return;
  }
  const { source, document } = event;
  const components = NAMES.flatMap((name, i) => {
    const label = event.labels[i];
    return label ? [component(name, { label })] : [];
  });
  const url = `${source === LOCAL ? '' : source.url}${document}`;
  await registry.commit({ source, documents: [{ url, components, record: {} }], record: OK });
}
