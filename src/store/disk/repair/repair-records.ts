import type { Quad } from '@rdfjs/types';
import type { Clock } from '../../../lib/clock.js';
import type { Pace } from '../../../lib/pace.js';
import type { RecordLayout } from '../../record-store.js';
import { QuadStore, type Row } from '../database/quad-store.js';
import type { Reconcile } from './repair.js';

/**
 * Makes the records of a service consistent again after a repair: good records stay, lost ones are named. Cached
 * documents are dropped as soon as one of their quads may be missing, since they can be read again.
 */
export const reconcileRecords =
  (
    { kept, cached, losses }: RecordLayout,
    options: { readonly clock: Clock; readonly pace: Pace },
  ): Reconcile =>
  async (level, { removed, incomplete }, { lost }) => {
    const store = await QuadStore.open(level, options);
    try {
      for (const key of removed) {
        // Only the first two are separators: a URI may hold `!`.
        const [, table = '', name] = /^!([^!]*)!(.*)$/s.exec(key) ?? [];
        if (kept.includes(table)) lost.push(`the ${table} ${name}`);
      }
      if (incomplete) lost.push(`perhaps ${losses.latest}`);
      const isCache = (key: string) => !key.startsWith('!') || key.startsWith(`!${cached}!`);
      if (!incomplete && !removed.some(isCache)) return;
      lost.push(losses.cache);
      const rows: Row[] = [];
      for await (const [key] of store.rows(cached)) rows.push({ table: cached, key });
      const remove: Quad[] = [];
      for await (const quads of store.read()) remove.push(...quads);
      await store.write({ rows, remove, durable: true });
    } finally {
      await store.close();
    }
  };
