import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Changes, ChangesRequest, StatementChange } from '../../src/catalog/catalog.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Source } from '../../src/component/source.js';
import { statementElement } from '../../src/component/statement-digest.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import { DigestMismatch } from '../../src/core/source-digests.js';
import { LtHash } from '../../src/lib/lt-hash.js';
import type { Engine } from '../support/engines.js';
import { component, type TestRegistry } from '../support/registry.js';
import { OK, ORDER, PEER, POD_A, precedence } from './sources.js';

/** What every engine says and believes of digests. Call it in the test file of an engine. */
export function digestContract(name: string, createEngine: () => Promise<Engine>): void {
  describe(`the contract of digests: ${name}`, () => {
    let engine: Engine;
    let registry: TestRegistry;

    beforeEach(async () => {
      engine = await createEngine();
      registry = await engine.open({ order: ORDER });
    });
    afterEach(async () => {
      await registry.close();
      await engine.remove();
    });

    async function reopen(): Promise<void> {
      await registry.close();
      registry = await engine.open({ order: ORDER });
    }
    const say = (source: Source, components: Metadata[], url = `${source.url}doc`) =>
      registry.commit({ source, documents: [{ url, components, record: {} }], record: OK });
    const cursor = async (): Promise<Cursor> => cursorOf(await registry.state());
    async function changes(request: Partial<ChangesRequest> = {}): Promise<Changes> {
      const answer = await registry.catalog.changes({ limit: 1000, ...request });
      if ('unknown' in answer) throw new Error(`The state is unknown: ${answer.unknown}`);
      return answer;
    }

    it('gives each source the digest of what it says, whatever the order', async () => {
      await say(POD_A, [component('a'), component('b')]);
      await say(POD_A, [component('c', { tag: ['x', 'y'] })], `${POD_A.url}other`);
      const { sources } = (await registry.state()).feed;
      const expected = LtHash.empty();
      for (const one of (await changes()).changes.toReversed()) expected.add(elementOf(one));
      expect(sources).toEqual([
        {
          ...{ source: POD_A, rank: precedence.rank(POD_A), count: 3, digest: expected.digest() },
          position: (await cursor()).position,
        },
      ]);
      await say(POD_A, [component('b')]);
      await say(POD_A, [component('b'), component('a')]);
      expect((await registry.state()).feed.sources[0]?.digest).toBe(expected.digest());
      await reopen();
      expect((await registry.state()).feed.sources[0]?.digest).toBe(expected.digest());
    });

    it('refuses a commit that would not lead to the digest that is expected, and changes nothing', async () => {
      const of = 'pod https://theirs.example/';
      const url = 'https://theirs.example/doc';
      const commit = (components: Metadata[], digest: string) =>
        registry.commit({
          source: PEER,
          documents: [{ url, components, record: { of } }],
          record: OK,
          expected: new Map([[of, digest]]),
        });
      const one = LtHash.empty();
      one.add(statementElement(url, component('a')));
      await commit([component('a')], one.digest());
      const before = await registry.state();
      await expect(commit([component('a', { label: 'lie' })], one.digest())).rejects.toThrow(DigestMismatch);
      expect(await registry.state()).toEqual(before);
      expect(await registry.labels()).toEqual(['a']);
      await commit([], LtHash.empty().digest());
      expect(await registry.labels()).toEqual([]);
    });

    it('digests documents by what they belong to, and lets that change', async () => {
      const doc = (url: string, components: Metadata[], of: string) =>
        registry.commit({ source: PEER, documents: [{ url, components, record: { of } }], record: OK });
      await doc('https://x.example/1', [component('a')], 'pod x');
      await doc('https://x.example/2', [component('b')], 'pod y');
      const { digest } = (await registry.state()).feed.sources[0] ?? {};
      await doc('https://x.example/2', [component('b')], 'pod x');
      await reopen();
      expect((await registry.state()).feed.sources[0]?.digest).toBe(digest);
      const both = LtHash.empty();
      for (const one of (await changes()).changes) both.add(elementOf(one));
      await registry.commit({
        source: PEER,
        documents: [],
        record: OK,
        expected: new Map([['pod x', both.digest()]]),
      });
      await expect(
        registry.commit({
          source: PEER,
          documents: [{ url: 'https://x.example/1', record: { of: 'pod z' } }],
          record: OK,
        }),
      ).rejects.toThrow(TypeError);
    });
  });
}

function elementOf({ document, uri, metadata }: StatementChange): string {
  return statementElement(document, metadata ?? component(uri));
}
