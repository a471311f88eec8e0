import { DEFAULT_ACTION } from '../../../component/capability.js';
import type { ListField } from '../../../component/metadata.js';
import { type Query, type ResolvedQuery, resolveQuery } from '../../../component/query.js';
import { searchWords } from '../../../component/search-text.js';
import { shapesNamed } from '../../../component/shape-names.js';
import { sourceKey } from '../../../component/source.js';
import { compileVersion } from '../../../component/version-range.js';
import type { PageRequest } from '../../../registry/page.js';
import type { Session } from '../connection/session.js';
import { isStorable, orderKey, textHash } from '../order-key.js';
import { descriptionTerm, TERM_KINDS, term, termValue } from '../terms.js';

/** The served statements `s` that match a query, as the parts of a statement of SQL. */
export interface Selection {
  readonly from: string;
  readonly where: readonly string[];
  /** The column that they are ordered by. */
  readonly uri: string;
  /** All columns that have the same values: a bound on each of them is one on what is read of each table. */
  readonly uris: readonly string[];
  readonly values: readonly unknown[];
  /** Set where it is everything, or everything with one term. */
  readonly simple?: { readonly term?: string };
  /** How many components it selects, where that is known. */
  readonly count?: number | undefined;
  /** The same without `s`, as uris of `p0`: where terms alone select. */
  readonly indexed?: Pick<Selection, 'from' | 'where'>;
}

/** Terms of one query that are joined; the tables of more of them would take the server long to put in order. */
const JOINED = 6;
/** Components up to which those that have some versions are sorted; among more of them, a page is found soon. */
const NARROW = 10_000;
const LISTS: readonly ListField[] = ['author', 'tag', 'shapes'];

/** Does the selection depend on something that has to be looked up before? Then both belong into one snapshot. */
export function needsLookup({ q, version, source, trust }: Query): boolean {
  return (
    [version, source, trust].some((one) => one !== undefined) || (q !== undefined && namedIn(q).length > 0)
  );
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
  const ofCapability = CRITERIA.filter((name) => query[name] !== undefined);
  if (ofCapability.length > 1) builder.condition((add) => oneCapability(query, add));
  for (const shapes of query.namedShapes ?? []) {
    const [first, ...others] = shapes.map((shape) => term('shapes', shape));
    if (first !== undefined && others.length === 0) builder.term(first);
    else builder.anyTerm(shapes.map((shape) => term('shapes', shape)));
  }
  if (query.version !== undefined) {
    const { terms, count } = await versionTerms(session, query.version);
    if (count <= NARROW) builder.oneOf(terms);
    else builder.anyTerm(terms, count);
  }
  if (query.uri !== undefined) builder.condition((add) => `s.uri = ${add(orderKey(query.uri ?? ''))}`);
  const trusted = query.trust === 'configured' ? ['own', 'configured'] : [query.trust];
  for (const [column, wanted] of [
    ['said_by', query.source === undefined ? undefined : [query.source]],
    ['trust', query.trust === undefined ? undefined : trusted],
  ] as const) {
    if (!wanted) continue;
    const ids = await fewDocuments(session, column, wanted);
    if (ids?.length === 0) return undefined;
    if (ids) builder.condition((add) => `s.document = ANY(${add(ids)}::bigint[])`);
    else {
      builder.condition(
        (add) =>
          `s.document IN (SELECT id FROM registry.document WHERE ${column} = ANY(${add(wanted)}::text[]))`,
      );
    }
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
  uris: ['s.uri'],
  values: [],
  simple: {},
};

/** What one document says, served or not. */
export function saidIn({ source, url }: NonNullable<PageRequest['document']>): Selection {
  const document = `SELECT x.id FROM registry.document AS x JOIN registry.source AS o ON o.id = x.source
    WHERE o.key = $1 AND x.key = $2`;
  const values = [textHash(sourceKey(source)), textHash(url)];
  return { ...ALL, simple: undefined, where: [`s.document = (${document})`], values };
}

class SelectionBuilder {
  readonly #terms = new Set<string>();
  /** Of these, each component has one at most. */
  #oneOf: readonly string[] | undefined;
  /** How many components have one of the terms that were asked for last, where each has one at most. */
  #count: number | undefined;
  readonly #values: unknown[] = [];
  readonly #where: string[] = ['s.served'];

  term(text: string): void {
    this.#terms.add(text);
  }

  oneOf(terms: readonly string[]): void {
    const [first] = terms;
    if (first !== undefined && terms.length === 1) this.term(first);
    else this.#oneOf = terms;
  }

  anyTerm(terms: readonly string[], count?: number): void {
    this.#count = count;
    this.condition(
      (add) => `s.uri IN (SELECT p.uri FROM registry.posting AS p WHERE p.term = ANY(${add(terms)}::text[]))`,
    );
  }

  condition(write: (add: (value: unknown) => string) => string): void {
    this.#where.push(write((value) => this.#add(value)));
  }

  selection(): Selection {
    const terms = [...this.#terms];
    const isPlain = this.#where.length === 1;
    const joined = terms
      .slice(0, JOINED)
      .map((text) => (table: string) => `${table}.term = ${this.#add(text)}`);
    const oneOf = this.#oneOf;
    if (oneOf) joined.push((table) => `${table}.term = ANY(${this.#add(oneOf)}::text[])`);
    const [first] = joined;
    if (!first) {
      if (isPlain) return ALL;
      const count = this.#where.length === 2 ? this.#count : undefined;
      return { ...ALL, simple: undefined, where: this.#where, values: this.#values, count };
    }
    const others = terms.slice(JOINED);
    const tables = joined
      .map((has, i) =>
        i === 0
          ? 'registry.posting AS p0'
          : `JOIN registry.posting AS p${i} ON p${i}.uri = p0.uri AND ${has(`p${i}`)}`,
      )
      .join(' ');
    const where = [first('p0')];
    if (others.length > 0) {
      where.push(`p0.uri IN (SELECT p.uri FROM registry.posting AS p WHERE p.term = ANY(${this.#add(others)}::text[])
        GROUP BY p.uri HAVING count(*) = ${this.#add(others.length)}::int)`);
    }
    const [single] = terms;
    return {
      from: `${tables} JOIN registry.statement AS s ON s.uri = p0.uri`,
      where: [...where, ...this.#where],
      uri: 'p0.uri',
      uris: ['s.uri', ...joined.map((_, i) => `p${i}.uri`)],
      values: this.#values,
      ...(isPlain ? { indexed: { from: tables, where } } : {}),
      ...(isPlain && joined.length === 1 && single !== undefined ? { simple: { term: single } } : {}),
    };
  }

  #add(value: unknown): string {
    this.#values.push(value);
    return `$${this.#values.length}`;
  }
}

function* termsWanted(query: ResolvedQuery): Generator<string> {
  if (query.label !== undefined) yield term('label', query.label);
  if (query.description !== undefined) yield descriptionTerm(query.description);
  if (query.latest !== undefined) yield term('latest', String(query.latest));
  for (const field of LISTS) for (const value of query[field] ?? []) yield term(field, value);
  for (const name of CRITERIA) if (query[name] !== undefined) yield term(name, query[name]);
}

const CRITERIA = ['action', 'accept', 'invocation'] as const;

/** That one capability meets all criteria; each of them is met by some, because its term is there. */
function oneCapability({ action, accept, invocation }: Query, add: (value: unknown) => string): string {
  const met = [
    ...(action === undefined
      ? []
      : [`coalesce(c.one ->> 'action', ${add(DEFAULT_ACTION)}::text) = ${add(action)}::text`]),
    ...(accept === undefined ? [] : [`c.one -> 'accept' @> to_jsonb(${add(accept)}::text)`]),
    ...(invocation === undefined
      ? []
      : [`c.one -> 'invocation' @> jsonb_build_array(jsonb_build_object('type', ${add(invocation)}::text))`]),
  ].join(' AND ');
  // Payloads of old releases may hold what is no JSON to PostgreSQL; they have no capabilities.
  return `CASE WHEN s.payload LIKE '%"capability":%' THEN EXISTS (
    SELECT 1 FROM jsonb_array_elements(s.payload::jsonb -> 'capability') AS c (one) WHERE ${met}) ELSE false END`;
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

/** The documents that are so, unless they say very much: then a page of what they say is found soon among everything. */
async function fewDocuments(
  session: Session,
  column: 'said_by' | 'trust',
  wanted: readonly unknown[],
): Promise<number[] | undefined> {
  const rows = await session.rows<{ id: number; components: number }>(
    `SELECT id, components FROM registry.document WHERE ${column} = ANY($1::text[]) LIMIT $2`,
    [wanted, NARROW + 1],
  );
  const said = rows.reduce((sum, { components }) => sum + components, 0);
  return rows.length > NARROW || said > NARROW ? undefined : rows.map(({ id }) => id);
}

/** The terms of the versions that are wanted, and how many components have one of them. */
async function versionTerms(
  session: Session,
  wanted: string,
): Promise<{ readonly terms: readonly string[]; readonly count: number }> {
  const kind = TERM_KINDS.version;
  const end = String.fromCharCode(kind.charCodeAt(0) + 1);
  const rows = await session.rows<{ term: string; count: number }>(
    'SELECT term, count FROM registry.term_count WHERE term >= $1 AND term < $2',
    [kind, end],
  );
  const matches = compileVersion(wanted);
  // A version that is too long to be kept is no semver, and only equals itself.
  const exact = term('version', wanted);
  const found = rows.filter((row) => row.term === exact || matches(termValue(row.term) ?? ''));
  return { terms: found.map((row) => row.term), count: found.reduce((sum, { count }) => sum + count, 0) };
}
