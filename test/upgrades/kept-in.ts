import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { NodeOptions, NodeProcess } from '../support/node/node-process.js';
import { newDatabase } from '../support/shared-postgres.js';
import { tempDir } from '../support/temp-dir.js';

/** Where nodes keep what they store. */
export interface KeptIn {
  readonly name: 'disk' | 'postgres';
  /** The settings of a node that has nothing yet. */
  fresh(): Promise<NodeOptions>;
  /** Copies all that a stopped node has stored. Gives the settings with which a node uses the copy. */
  copy(node: NodeProcess): Promise<NodeOptions>;
}

export const DISK: KeptIn = {
  name: 'disk',
  fresh: async () => ({ config: { dataDir: join(await tempDir(), 'data') } }),
  copy: async (node) => {
    const dataDir = join(await tempDir(), 'data');
    await cp(String(node.options.config?.dataDir), dataDir, { recursive: true });
    return { config: { dataDir } };
  },
};

const databaseOf = (url: string) => ({ REGISTRY_STORE_ENGINE: 'postgres', REGISTRY_STORE_URL: url });

export const POSTGRES: KeptIn = {
  name: 'postgres',
  fresh: async () => ({ ...(await DISK.fresh()), env: databaseOf(await newDatabase()) }),
  copy: async (node) => {
    const url = new URL(node.options.env?.REGISTRY_STORE_URL ?? '');
    const copy = Object.assign(new URL(url), { pathname: `${url.pathname}_copy` });
    const client = new pg.Client({
      connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href,
    });
    await client.connect();
    try {
      await client.query(`CREATE DATABASE ${copy.pathname.slice(1)} TEMPLATE ${url.pathname.slice(1)}`);
    } finally {
      await client.end();
    }
    return { ...(await DISK.copy(node)), env: databaseOf(copy.href) };
  },
};
