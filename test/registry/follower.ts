import { expect } from 'vitest';
import type { State, StatementChange } from '../../src/catalog/catalog.js';
import { sourceKey } from '../../src/component/source.js';
import { type Cursor, cursorOf } from '../../src/core/cursor.js';
import { REMOVALS_REMEMBERED } from '../../src/core/feed-window.js';
import type { TestRegistry } from '../support/registry.js';
import { digestsOf, keyOf } from './model.js';
import { expectDigests } from './told.js';

const DAY = 86_400_000;

/** A copy of a registry that knows nothing but what the feed tells. */
export class Follower {
  readonly #statements = new Map<string, StatementChange>();
  readonly #lines = new Map<string, State['feed']['sources'][number]>();
  #since: Cursor | undefined;
  /** When it has followed last. */
  #at = 0;

  /** @param now what the clock shows, which is set back by less than a day in all */
  async follow(registry: TestRegistry, now: number, limit = 3): Promise<void> {
    const since = this.#since;
    let after: number | undefined;
    do {
      const page = await registry.catalog.changes({ since, after, limit });
      if ('unknown' in page) {
        // Commits are lost, or removals since then are forgotten: everything is read again.
        const isLost = since?.epoch !== (await registry.state()).revision.epoch;
        expect(page.unknown).toBe(isLost ? 'epoch' : 'expired');
        if (!isLost) expect(now - this.#at).toBeGreaterThan(REMOVALS_REMEMBERED - DAY);
        this.#since = undefined;
        this.#statements.clear();
        return this.follow(registry, now, limit);
      }
      expect(page.changes.length).toBeLessThanOrEqual(limit);
      for (const change of page.changes) {
        expect(change.position).toBeGreaterThan(after ?? since?.position ?? 0);
        const key = `${keyOf(change.source, change.document)} ${change.uri}`;
        if (change.metadata) this.#statements.set(key, change);
        else this.#statements.delete(key);
      }
      for (const line of page.sources) this.#lines.set(sourceKey(line.source), line);
      this.#since = cursorOf(page.state);
      after = page.next;
    } while (after !== undefined);
    this.#at = now;
    expect(digestsOf(this.#statements.values())).toEqual(await expectDigests(registry));
    const { sources } = (await registry.state()).feed;
    for (const line of sources) expect(this.#lines.get(sourceKey(line.source))).toEqual(line);
  }
}
