import { codeOf } from '../connection/failure.js';
import type { Changeable } from './make-tables.js';

/**
 * Words are looked for in the middle of texts, which no B-tree answers. Where the server has trigrams, as PostgreSQL,
 * YugabyteDB and CockroachDB do in their own ways, they do; elsewhere a part of the registry is looked through at a time.
 */
const INDEX = [
  'CREATE EXTENSION IF NOT EXISTS pg_trgm',
  'CREATE INDEX IF NOT EXISTS statement_search ON registry.statement USING gin (search gin_trgm_ops) WHERE served',
];

/** Components up to which it is made at a start: of more, writing would have to wait for minutes. */
const MOST = 100_000;

const KNOWN = `SELECT 1 FROM pg_indexes WHERE schemaname = 'registry' AND indexname = 'statement_search'`;

/** Not allowed, not installed, not understood. */
const IMPOSSIBLE = /^(42501|0A000|58P01|42704|42601|42883|42P01|22023)$/;

/** Makes the index of words, if it can be had: says whether it is there. @throws StoreUnavailable */
export async function indexWords(database: Changeable): Promise<boolean> {
  try {
    return await database.write(async (session) => {
      // One node after the other.
      await session.rows(`SELECT version FROM registry.schema_version WHERE area = 'registry' FOR UPDATE`);
      if ((await session.rows(KNOWN)).length > 0) return true;
      const [head] = await session.rows<{ components: number }>(
        'SELECT components FROM registry.head WHERE id = 1',
      );
      if (head && head.components > MOST) return false;
      for (const statement of INDEX) await session.rows(statement);
      return true;
    });
  } catch (error) {
    if (IMPOSSIBLE.test(codeOf(error) ?? '')) return false;
    throw error;
  }
}
