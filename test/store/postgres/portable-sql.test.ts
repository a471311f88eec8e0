import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ENGINE = fileURLToPath(new URL('../../../src/store/postgres/', import.meta.url));

/** What only some engines of PostgreSQL's protocol understand, or understand otherwise (design, section 13). */
const REFUSED: readonly (readonly [what: RegExp, why: string])[] = [
  [/\bUSING\s+(GIN|GIST|SPGIST|BRIN|HASH)\b/i, 'an index that is no B-tree'],
  [/\bEXCLUDE\b/i, 'an exclusion constraint'],
  [/\bpg_(try_)?advisory_/i, 'an advisory lock'],
  [/\bLISTEN\s+\w|\bUNLISTEN\b|\bNOTIFY\s+\w|\bpg_notify\b/i, 'a notification'],
  [
    /\bCREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|TRIGGER|RULE|EXTENSION|TYPE|DOMAIN|MATERIALIZED)\b/i,
    'code or types in the database',
  ],
  [/\bLOCK\s+TABLE\b/i, 'a lock on a whole table'],
  [/\bWITH\s+HOLD\b|\bDECLARE\s+\w+\s+CURSOR\b/i, 'a cursor'],
  [/\b(hstore|tsvector|tsquery|ltree|int4range|tstzrange)\b/i, 'a type that engines differ in'],
  // Reading a text as JSON (`->`, `->>`, `@>`, `jsonb_array_elements`) is the same everywhere; storing, sorting and indexing is not.
  [
    /\b(CREATE|ALTER)\s+TABLE\b[^;]*\bjsonb\b|\bORDER\s+BY\b[^;]*\bjsonb\b/i,
    'a column that engines differ in',
  ],
  [/\b(ctid|xmin|xmax)\b/i, 'a column of the system'],
  [/\b(nextval|currval|lastval)\s*\(/i, 'a sequence: its numbers come in another order than commits'],
  [/\bUNLOGGED\b|\bTABLESPACE\b|\bINHERITS\b|\bPARTITION\b/i, 'a kind of table'],
];

/** Why a statement is refused; undefined when it is not. */
function refusal(sql: string): string | undefined {
  return REFUSED.find(([what]) => what.test(sql))?.[1];
}

/** Everything in quotes that is SQL. */
function statementsIn(source: string): string[] {
  const texts = source.match(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g) ?? [];
  return texts.filter((text) =>
    /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|BEGIN|SET|WITH|LOCK|LISTEN|NOTIFY|ALTER|DROP)\b/.test(text),
  );
}

describe('the SQL of the engine postgres', () => {
  it('is what distributed engines of the same protocol understand', () => {
    const files = readdirSync(ENGINE, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    const statements = files.flatMap((path) =>
      statementsIn(readFileSync(join(ENGINE, path), 'utf8')).map((sql) => ({ path, sql })),
    );
    expect(statements.length).toBeGreaterThan(50);
    const refused = statements.filter(({ sql }) => refusal(sql) !== undefined);
    // What a server need not have: without it, searches look through a part of the registry at a time.
    expect(new Set(refused.map(({ path }) => path))).toEqual(new Set(['schema/word-index.ts']));
  });

  it.each([
    'CREATE INDEX t_tags ON t USING gin (tags)',
    'ALTER TABLE t ADD EXCLUDE USING gist (a WITH =)',
    'SELECT pg_advisory_xact_lock(1)',
    'SELECT pg_try_advisory_lock(1)',
    'LISTEN changes',
    "SELECT pg_notify('changes', '')",
    'CREATE FUNCTION f() RETURNS int',
    'CREATE EXTENSION pg_trgm',
    'LOCK TABLE registry.head',
    'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
    'CREATE TABLE t (payload jsonb)',
    "SELECT nextval('positions')",
  ])('may not be %s', (sql) => {
    expect(statementsIn(`const sql = \`${sql}\`;`)).toHaveLength(1);
    expect(refusal(sql)).toBeDefined();
  });
});
