import type { ListField } from '../../../component/metadata.js';
import { sourceKey } from '../../../component/precedence.js';
import { type Query, type ResolvedQuery, resolveQuery } from '../../../component/query.js';
import { searchWords } from '../../../component/search-text.js';
import { shapesNamed } from '../../../component/shape-names.js';
import { compileVersion } from '../../../component/version-range.js';
import type { PageRequest } from '../../../registry/page.js';
import type { Session } from '../connection/session.js';
import { isStorable, orderKey, textHash } from '../order-key.js';
import { memberText } from '../payload.js';
import { TERM_KINDS, term, termValue } from '../terms.js';

/** The served statements `s` that match a query, as the parts of a statement of SQL. */
export interface Selection {
  readonly from: string;
  readonly where: readonly string[];
  /** The column that they are ordered by. */
  readonly uri: string;
  readonly values: readonly unknown[];
}

/** Terms of one query that are joined; the tables of more of them would take the server long to put in order. */
const JOINED = 6;
const LISTS: readonly ListField[] = ['author', 'tag', 'shapes'];

/** Does the selection depend on something that has to be looked up before? Then both belong into one snapshot. */
export function needsLookup({ q, version }: Query): boolean {
  return version !== undefined || (q !== undefined && namedIn(q).length > 0);
}

/** What a query selects; `undefined` when nothing can match. */
export async function selectionOf(session: Session, asked: Query): Promise<Selection | undefined> {
  if (
    !Object.values(asked)
      .flat()
      .every((value) => typeof value !== 'string' || isStorable(value))
  )
    return undefined;
  const rendered = await renderedAmong(session, namedIn(asked.q ?? ''));
  const query = resolveQuery(asked, (shape) => rendered.has(shape));
  const builder = new SelectionBuilder();
  for (const one of termsWanted(query)) builder.term(one);
  for (const shapes of query.namedShapes ?? []) builder.anyTerm(shapes.map((shape) => term('shapes', shape)));
  if (query.version !== undefined) builder.anyTerm(await versionTerms(session, query.version));
  if (query.uri !== undefined) builder.condition((add) => `s.uri = ${add(orderKey(query.uri ?? ''))}`);
  for (const field of ['description', 'latest'] as const) {
    if (query[field] !== undefined)
      builder.condition((add) => `strpos(s.payload, ${add(memberText(field, query[field]))}) > 0`);
  }
  if (query.source !== undefined) {
    builder.condition(
      (add) => `s.document IN (SELECT id FROM registry.document WHERE said_by = ${add(query.source)})`,
    );
  }
  if (query.trust !== undefined) {
    const trusted = query.trust === 'configured' ? ['own', 'configured'] : [query.trust];
    builder.condition(
      (add) => `s.document IN (SELECT id FROM registry.document WHERE trust = ANY(${add(trusted)}::text[]))`,
    );
  }
  for (const word of searchWords(query.q ?? '')) {
    builder.condition((add) => `s.search LIKE ${add(`%${word.replace(/[\\%_]/g, '\\$&')}%`)}`);
  }
  return builder.selection();
}

/** Everything. */
export const ALL: Selection = {
  from: 'registry.statement AS s',
  where: ['s.served'],
  uri: 's.uri',
  values: [],
};

/** What one document says, served or not. */
export function saidIn({ source, url }: NonNullable<PageRequest['document']>): Selection {
  const document = `SELECT x.id FROM registry.document AS x JOIN registry.source AS o ON o.id = x.source
    WHERE o.key = $1 AND x.key = $2`;
  const values = [textHash(sourceKey(source)), textHash(url)];
  return { from: 'registry.statement AS s', where: [`s.document = (${document})`], uri: 's.uri', values };
}

class SelectionBuilder {
  readonly #terms = new Set<string>();
  readonly #values: unknown[] = [];
  readonly #where: string[] = ['s.served'];

  term(text: string): void {
    this.#terms.add(text);
  }

  anyTerm(terms: readonly string[]): void {
    this.condition(
      (add) => `s.uri IN (SELECT p.uri FROM registry.posting AS p WHERE p.term = ANY(${add(terms)}::text[]))`,
    );
  }

  condition(write: (add: (value: unknown) => string) => string): void {
    this.#where.push(write((value) => this.#add(value)));
  }

  selection(): Selection {
    const terms = [...this.#terms];
    const [first] = terms;
    if (first === undefined) return { ...ALL, where: this.#where, values: this.#values };
    const joined = terms.slice(0, JOINED);
    const others = terms.slice(JOINED);
    const tables = joined.map((text, i) =>
      i === 0
        ? 'registry.posting AS p0'
        : `JOIN registry.posting AS p${i} ON p${i}.uri = p0.uri AND p${i}.term = ${this.#add(text)}`,
    );
    const where = [`p0.term = ${this.#add(first)}`, ...this.#where];
    if (others.length > 0) {
      where.push(`p0.uri IN (SELECT p.uri FROM registry.posting AS p WHERE p.term = ANY(${this.#add(others)}::text[])
        GROUP BY p.uri HAVING count(*) = ${this.#add(others.length)}::int)`);
    }
    const from = `${tables.join(' ')} JOIN registry.statement AS s ON s.uri = p0.uri`;
    return { from, where, uri: 'p0.uri', values: this.#values };
  }

  #add(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }
}

function* termsWanted(query: ResolvedQuery): Generator<string> {
  if (query.label !== undefined) yield term('label', query.label);
  for (const field of LISTS) for (const value of query[field] ?? []) yield term(field, value);
}

/** What words of a search could name as shapes. */
function namedIn(search: string): string[] {
  return search
    .split(/\s+/)
    .flatMap(shapesNamed)
    .filter((shape) => isStorable(shape));
}

async function renderedAmong(session: Session, shapes: readonly string[]): Promise<Set<string>> {
  if (shapes.length === 0) return new Set();
  const byTerm = new Map(shapes.map((shape) => [term('shapes', shape), shape]));
  const rows = await session.rows<{ term: string }>(
    `SELECT n.term FROM unnest($1::text[]) AS n (term)
     WHERE EXISTS (SELECT 1 FROM registry.posting AS p WHERE p.term = n.term)`,
    [[...byTerm.keys()]],
  );
  return new Set(rows.map((row) => byTerm.get(row.term) ?? ''));
}

/** From each version to the next in the index: the time depends on how many versions there are, and not on how many components. */
const VERSIONS = `WITH RECURSIVE known (term) AS (
    (SELECT p.term FROM registry.posting AS p WHERE p.term >= $1 AND p.term < $2 ORDER BY p.term LIMIT 1)
    UNION ALL
    SELECT (SELECT p.term FROM registry.posting AS p WHERE p.term > known.term AND p.term < $2
            ORDER BY p.term LIMIT 1)
    FROM known WHERE known.term IS NOT NULL
  ) SELECT term FROM known WHERE term IS NOT NULL`;

/** The terms of the versions that are wanted: a version that is too long to be kept is no semver, and only equals itself. */
async function versionTerms(session: Session, wanted: string): Promise<string[]> {
  const kind = TERM_KINDS.version;
  const end = String.fromCharCode(kind.charCodeAt(0) + 1);
  const rows = await session.rows<{ term: string }>(VERSIONS, [kind, end]);
  const matches = compileVersion(wanted);
  const found = rows.map((row) => row.term).filter((text) => matches(termValue(text) ?? ''));
  return [...new Set([...found, term('version', wanted)])];
}
