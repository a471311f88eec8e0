import type { Quad } from '@rdfjs/types';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import { QuadStore, type Row } from '../../store/disk/database/quad-store.js';
import type { Reconcile } from '../../store/disk/repair/repair.js';
import { SCHEMA_VERSION } from './records.js';

const KINDS = ['connection', 'invite', 'exchange'];

/**
 * What is left of the connection service's database: its good records. Cached documents are dropped as soon as
 * one of their triples may be missing; they are read again when the connections are refreshed.
 */
export const reconcileConnections =
  (options: { readonly clock: Clock; readonly pace: Pace }): Reconcile =>
  async (level, { removed, incomplete }, { lost }) => {
    const store = await QuadStore.open(level, { ...options, schema: SCHEMA_VERSION });
    try {
      for (const key of removed) {
        const [, kind = '', name] = key.split('!');
        if (KINDS.includes(kind)) lost.push(`the ${kind} ${name}`);
      }
      if (incomplete) lost.push('perhaps the latest connections and invites, and changes to them');
      const isCache = (key: string) => !key.startsWith('!') || key.startsWith('!resource!');
      if (!incomplete && !removed.some(isCache)) return;
      lost.push('cached documents of connections; they are read again when the connections are refreshed');
      const rows: Row[] = [];
      for await (const [key] of store.rows('resource')) rows.push({ table: 'resource', key });
      const remove: Quad[] = [];
      for await (const quads of store.read({})) remove.push(...quads);
      await store.write({ rows, remove, durable: true });
    } finally {
      await store.close();
    }
  };
