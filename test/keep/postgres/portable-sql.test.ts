import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ENGINE = fileURLToPath(new URL('../../../src/keep/postgres/', import.meta.url));

/** What only some engines of PostgreSQL's protocol understand, or understand otherwise (design, section 13). */
const REFUSED: readonly RegExp[] = [
  /\bUSING\s+(GIN|GIST|SPGIST|BRIN|HASH)\b/i,
  /\bEXCLUDE\b/i,
  /\bpg_(try_)?advisory_/i,
  /\bLISTEN\s+\w|\bUNLISTEN\b|\bNOTIFY\s+\w|\bpg_notify\b/i,
  /\bCREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|TRIGGER|RULE|EXTENSION|TYPE|DOMAIN|MATERIALIZED)\b/i,
  /\bLOCK\s+TABLE\b|\bWITH\s+HOLD\b|\bDECLARE\s+\w+\s+CURSOR\b/i,
  /\b(hstore|tsvector|tsquery|ltree|int4range|tstzrange|jsonb?|ctid|xmin|xmax)\b/i,
  /\b(nextval|currval|lastval|setval)\s*\(|\b(SERIAL|IDENTITY|UNLOGGED|TABLESPACE|INHERITS|PARTITION|COLLATE)\b/i,
];

/** Everything in quotes that is SQL. */
function statementsIn(source: string): string[] {
  const texts = source.match(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g) ?? [];
  return texts.filter((text) =>
    /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|BEGIN|SET|COMMIT|ROLLBACK)\b/.test(text),
  );
}

it('is what distributed engines of the same protocol understand', () => {
  const files = readdirSync(ENGINE, { encoding: 'utf8' });
  const statements = files.flatMap((path) => statementsIn(readFileSync(join(ENGINE, path), 'utf8')));
  expect(statements.length).toBeGreaterThan(25);
  expect(statements.filter((sql) => REFUSED.some((what) => what.test(sql)))).toEqual([]);
});
