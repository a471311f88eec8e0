import { expect } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import { payloadHash } from '../../../../src/component/statement-digest.js';
import type { SeenRequest } from '../../../support/fake-server.js';
import type { WireChange, WirePage } from '../../../support/peer/feed-server.js';
import { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';

export const POD: Source = { kind: 'pod', url: 'https://a.example/' };
export const GRAPH = 'https://a.example/1';
export const BYSTANDER: Source = { kind: 'peer', url: 'http://bystander.example' };

export const named = (...names: string[]) => names.map((name) => component(name));

export type Tamper = FollowedOrigin['feed']['tamper'];
export type Where = (request: SeenRequest) => boolean;

export const inChanges: Where = ({ url }) => url.startsWith('/feed?since=');
export const everywhere: Where = () => true;

/** Changes pages that have changes, in the feed of changes alone or everywhere. */
export const pages =
  (where: Where, tamper: (page: WirePage & { changes: WireChange[] }) => Partial<WirePage>): Tamper =>
  (page, request) =>
    where(request) && page.changes?.length
      ? { ...page, ...tamper({ ...page, changes: page.changes }) }
      : page;

export const changes = (where: Where, tamper: (all: WireChange[]) => WireChange[]) =>
  pages(where, (page) => ({ changes: tamper(page.changes) }));

export const digests =
  (where: Where): Tamper =>
  (page, request) => {
    if (!where(request)) return page;
    return { ...page, sources: page.sources?.map((line) => ({ ...line, digest: 'f'.repeat(32) })) ?? [] };
  };

export const moved = (cursor: string, by: number) =>
  cursor.replace(/\.(\d+)\./, (_, position) => `.${Number(position) + by}.`);

/** Says one thing more, at a position of its own. */
export const adding = (where: Where, more: Partial<WireChange>) =>
  pages(where, (page) => {
    const [last] = page.changes.slice(-1) as [WireChange];
    return {
      cursor: moved(page.cursor, 1),
      changes: [...page.changes, { ...last, ...more, position: last.position + 1 }],
    };
  });

export const created = (name: string): Partial<WireChange> => ({
  type: 'Create',
  uri: component(name).uri,
  hash: payloadHash(component(name)),
  component: { ...component(name) },
});
export const removed = (name: string, more: Partial<WireChange>): Partial<WireChange> => ({
  ...{ type: 'Delete', uri: component(name).uri, ...more },
});

export const otherText = (one: WireChange) => ({
  ...one,
  ...(one.component ? { component: { ...one.component, label: 'something else' } } : {}),
});

/** A peer that has been read once and says something else by now, its reader, and what the reader has of others. */
export class LyingOrigin {
  static async open(): Promise<LyingOrigin> {
    const pair = await FollowedOrigin.open();
    await pair.origin.registry.upsertLocal(named('a', 'b', 'c'));
    await pair.say(POD, GRAPH, named('p', 'q'));
    await pair.poll();
    const { registry } = pair.reader;
    await registry.upsertLocal(named('mine', 'a'));
    const record = { of: 'pod https://a.example/' };
    const documents = [{ url: GRAPH, components: named('p', 'theirs'), record }];
    await registry.commit({ source: BYSTANDER, documents, record: (current) => current });
    const lying = new LyingOrigin(pair, await pair.taken(), await othersIn(pair));
    const put = [component('b', { label: 'B' }), component('d')];
    await pair.origin.registry.commitOwn({ put, remove: named('c').map(({ uri }) => uri) });
    await pair.say(POD, GRAPH, named('q', 'r'));
    pair.requests();
    return lying;
  }

  private constructor(
    readonly pair: FollowedOrigin,
    /** What the reader has of the peer before the lies. */
    readonly before: readonly string[],
    readonly others: readonly string[],
  ) {}

  async expectOthersUntouched(): Promise<void> {
    expect(await othersIn(this.pair)).toEqual(this.others);
  }

  /** Whatever it has said before: once it tells the truth again, the reader has all of it, and nothing of others was touched. */
  async expectTruth(): Promise<void> {
    await this.expectTruthOf(this.pair);
    await this.expectOthersUntouched();
  }

  async expectTruthOf(pair: FollowedOrigin): Promise<void> {
    pair.feed.tamper = (page) => page;
    pair.override = () => undefined;
    expect(await pair.poll({ acceptShrink: true })).toMatchObject({ ok: true });
    expect(await pair.taken()).toEqual(await pair.said());
    pair.requests();
    expect(await pair.poll()).toMatchObject({ ok: true });
    expect(pair.requests()).toEqual([expect.stringMatching(/^\/feed[?].* 304$/)]);
  }
}

async function othersIn({ reader }: FollowedOrigin): Promise<string[]> {
  return (await reader.registry.everything())
    .filter(({ source }) => source.url !== reader.source.url)
    .map(({ source, document, metadata }) => `${source.kind} ${document} ${metadata.uri} ${metadata.label}`);
}
