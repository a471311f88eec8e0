import type { Catalog } from '../catalog/catalog.js';
import { sizeOf } from '../component/component-size.js';
import { type Source, sameSource } from '../component/source.js';
import type { Sayings } from '../core/judge.js';
import type { Breather } from '../lib/pace.js';

/** Statements that are looked at in one go. */
const PORTION = 1_000;

/** Looks up what a source says now. Gives way to other work. */
export function sayingsOf(
  source: Source,
  catalog: Pick<Catalog, 'statements' | 'changes'>,
  breathe: Breather,
): Sayings {
  return {
    async named(document, uris) {
      const said = new Map<string, number>();
      for (const uri of uris) {
        await breathe();
        const statements = await catalog.statements(uri);
        const own = statements.find((one) => one.document === document && sameSource(one.source, source));
        if (own) said.set(uri, sizeOf(own.metadata));
      }
      return said;
    },
    async all(documents) {
      const said = new Map([...documents].map((document) => [document, new Map<string, number>()]));
      if (said.size === 0) return said;
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page = await catalog.changes({ source, after, limit: PORTION });
        if ('unknown' in page) throw new Error('A listing that begins at no state is of an unknown state');
        for (const { document, uri, metadata } of page.changes) {
          await breathe();
          if (metadata) said.get(document)?.set(uri, sizeOf(metadata));
        }
        after = page.next;
      }
      return said;
    },
  };
}
