import { DEFAULT_ACTION } from '../../../component/capability.js';
import { NO_KIND } from '../../../component/capability-query.js';
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
import { type Add, ALL, type Selection, SelectionBuilder } from './selection-builder.js';

/** Components up to which those that have some versions are sorted; among more of them, a page is found soon. */
const NARROW = 10_000;
const LISTS: readonly ListField[] = ['author', 'tag', 'shapes'];
/** A word that the index of words finds, whatever the locale of the database. */
const INDEXED = /[a-z0-9]{3}/;

/** Does the selection depend on something that has to be looked up before? Then both belong into one snapshot. */
export function needsLookup({ q, version, source, trust }: Query): boolean {
  return (
    [version, source, trust].some((one) => one !== undefined) || (q !== undefined && namedIn(q).length > 0)
  );
}

/** What a query selects; `undefined` when nothing can match. `areWordsIndexed`: see `schema/word-index.ts`. */
export async function selectionOf(
  session: Session,
  asked: Query,
  areWordsIndexed: boolean,
): Promise<Selection | undefined> {
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
  if (ofCapability.length > 1 || query.invocation === NO_KIND)
    builder.filter((add) => oneCapability(query, add));
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
  const words = searchWords(query.q ?? '');
  const isFound = areWordsIndexed && words.some((word) => INDEXED.test(word));
  for (const word of words) {
    const has = (add: Add) => `s.search LIKE ${add(`%${word.replace(/[\\%_]/g, '\\$&')}%`)}`;
    if (isFound) builder.condition(has);
    else builder.filter(has);
  }
  return builder.selection();
}

/** What one document says, served or not. */
export function saidIn({ source, url }: NonNullable<PageRequest['document']>): Selection {
  const document = `SELECT x.id FROM registry.document AS x JOIN registry.source AS o ON o.id = x.source
    WHERE o.key = $1 AND x.key = $2`;
  const values = [textHash(sourceKey(source)), textHash(url)];
  return { ...ALL, simple: undefined, where: [`s.document = (${document})`], values };
}

function* termsWanted(query: ResolvedQuery): Generator<string> {
  if (query.label !== undefined) yield term('label', query.label);
  if (query.description !== undefined) yield descriptionTerm(query.description);
  if (query.latest !== undefined) yield term('latest', String(query.latest));
  for (const field of LISTS) for (const value of query[field] ?? []) yield term(field, value);
  for (const name of CRITERIA) {
    const wanted = query[name];
    // What a component without capabilities, or without invocation, has is no term.
    const isTerm = query.invocation !== NO_KIND || (name !== 'invocation' && wanted !== DEFAULT_ACTION);
    if (wanted !== undefined && isTerm) yield term(name, wanted);
  }
}

const CRITERIA = ['action', 'accept', 'invocation'] as const;

/** That one capability meets all criteria; each of them is met by some, because its term is there. */
function oneCapability({ action, accept, invocation }: Query, add: Add): string {
  const met = [
    ...(action === undefined
      ? []
      : [`coalesce(c.one ->> 'action', ${add(DEFAULT_ACTION)}::text) = ${add(action)}::text`]),
    ...(accept === undefined ? [] : [`c.one -> 'accept' @> to_jsonb(${add(accept)}::text)`]),
    ...(invocation === undefined
      ? []
      : invocation === NO_KIND
        ? [`c.one -> 'invocation' IS NULL`]
        : [
            `c.one -> 'invocation' @> jsonb_build_array(jsonb_build_object('type', ${add(invocation)}::text))`,
          ]),
  ].join(' AND ');
  const isWithout =
    invocation === NO_KIND && accept === undefined && (action === undefined || action === DEFAULT_ACTION);
  // Payloads of old releases may hold what is no JSON to PostgreSQL; they have no capabilities.
  return `CASE WHEN s.payload LIKE '%"capability":%' THEN EXISTS (
    SELECT 1 FROM jsonb_array_elements(s.payload::jsonb -> 'capability') AS c (one) WHERE ${met}) ELSE ${isWithout} END`;
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
    'SELECT term, count FROM registry.term_count WHERE term >= $1 AND term < $2 AND count > 0',
    [kind, end],
  );
  const matches = compileVersion(wanted);
  // A version that is too long to be kept is no semver, and only equals itself.
  const exact = term('version', wanted);
  const found = rows.filter((row) => row.term === exact || matches(termValue(row.term) ?? ''));
  return { terms: found.map((row) => row.term), count: found.reduce((sum, { count }) => sum + count, 0) };
}
