import semver from 'semver';
import { z } from 'zod';
import { type Fault, InvalidInput, pointerTo } from '../lib/faults.js';
import { LIMITS, LIST_FIELDS, type ListField, type Metadata } from './metadata.js';
import { searchText, searchWords } from './search-text.js';

/**
 * Bounds of a query, in characters, values and words. Nobody needs a token to ask, and the answer is looked
 * for in one go: what may be asked has to be cheap, whatever it is.
 */
const BOUNDS = { search: 200, words: 12, range: 128, alternatives: 8 } as const;

const text = (limit: number) =>
  z.string('must be a string').max(limit, `may have at most ${limit} characters`);
const value = text(LIMITS.text);
const texts = z
  .union(
    [value, z.array(value).max(LIMITS.values)],
    `must be a string or an array of at most ${LIMITS.values} strings of at most ${LIMITS.text} characters`,
  )
  .transform((values) => (typeof values === 'string' ? [values] : values));

/** The constraints that a query may hold; the body of `POST /component/query` is checked against it. */
export const querySchema = z.strictObject({
  uri: text(LIMITS.uri).optional().describe('equals the uri'),
  label: value.optional().describe('equals the label'),
  description: text(LIMITS.description).optional().describe('equals the description'),
  version: value.optional().describe('equals the version, or is an npm semver range that contains it'),
  latest: z
    .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
    .transform((value) => value === true || value === 'true')
    .optional()
    .describe('equals latest'),
  author: texts.optional().describe('every one of these is an author'),
  tag: texts.optional().describe('every one of these is a tag'),
  shapes: texts.optional().describe('every one of these is a shape'),
  q: text(BOUNDS.search)
    .refine((search) => searchWords(search).length <= BOUNDS.words, `may have at most ${BOUNDS.words} words`)
    .optional()
    .describe('words that all occur in label, description, tags or authors; case and accents do not matter'),
});

/** The names that a constraint can have: those of the fields, and `q`. */
export const CONSTRAINTS: readonly string[] = Object.keys(querySchema.shape);

/** Constraints on components; all of them must hold, and `{}` matches everything. */
export interface Query {
  readonly uri?: string;
  readonly label?: string;
  readonly description?: string;
  /** Equal, or an npm semver range that the component's version satisfies. */
  readonly version?: string;
  readonly latest?: boolean;
  /** Every one of these must be among the component's values. */
  readonly author?: readonly string[];
  readonly tag?: readonly string[];
  readonly shapes?: readonly string[];
  /** Words that all occur somewhere in the component's texts. */
  readonly q?: string;
}

/** Reads a query from the parsed JSON body of a request. @throws InvalidInput naming every fault */
export function readQuery(body: unknown): Query {
  const plain = plainQuery(body);
  if (plain) return plain;
  const parsed = querySchema.safeParse(body);
  if (parsed.success) return parsed.data as Query;
  const faults = parsed.error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: pointerTo([...issue.path, key]),
        detail: `unknown constraint; there are ${CONSTRAINTS.join(', ')}`,
      }));
    }
    const detail = issue.path.length === 0 ? 'must be a JSON object of constraints' : issue.message;
    return [{ pointer: pointerTo(issue.path), detail }];
  });
  throw new InvalidInput('The query is not valid', faults);
}

/**
 * Most queries are plainly right. That is seen at a glance, at a small part of what the schema costs; what is
 * not, the schema judges and explains.
 */
function plainQuery(body: unknown): Query | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const query: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(body)) {
    const read = GLANCES.get(key)?.(value);
    if (read === undefined) return undefined;
    query[key] = read;
  }
  return query;
}

const isShort = (value: unknown) => typeof value === 'string' && value.length <= LIMITS.text;
const glanceAtText = (value: unknown) => (isShort(value) ? value : undefined);
const glanceAtTexts = (value: unknown) => {
  if (isShort(value)) return [value];
  return Array.isArray(value) && value.length <= LIMITS.values && value.every(isShort) ? value : undefined;
};

/** What each constraint is read as; undefined for what is not plainly right. */
const GLANCES = new Map<string, (value: unknown) => unknown>([
  ...(['uri', 'label', 'description', 'version'] as const).map((key) => [key, glanceAtText] as const),
  ...LIST_FIELDS.map((key) => [key, glanceAtTexts] as const),
  ['latest', (value) => (typeof value === 'boolean' ? value : undefined)],
]);

/** Reads a query from the parameters of a URL; a repeated list parameter asks for all of its values. @throws InvalidInput */
export function readQueryParameters(parameters: URLSearchParams): Query {
  const body: Record<string, unknown> = Object.create(null);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    body[name] = values.length === 1 && !LIST_FIELDS.includes(name as ListField) ? values[0] : values;
  }
  return readQuery({ ...body });
}

/** A test for components, with what can be prepared done once. */
export function compileQuery(query: Query): (component: Metadata) => boolean {
  const tests: ((component: Metadata) => boolean)[] = [];
  for (const field of ['uri', 'label', 'description', 'latest'] as const) {
    const wanted = query[field];
    if (wanted !== undefined) tests.push((component) => component[field] === wanted);
  }
  for (const field of LIST_FIELDS) {
    const wanted = query[field];
    if (wanted?.length) tests.push((component) => wanted.every((value) => component[field].includes(value)));
  }
  if (query.version !== undefined) {
    const matches = compileVersion(query.version);
    tests.push(({ version }) => version !== undefined && matches(version));
  }
  const words = searchWords(query.q ?? '');
  if (words.length > 0) {
    tests.push((component) => words.every((word) => searchText(component).includes(word)));
  }
  return (component) => tests.every((test) => test(component));
}

/**
 * A test for versions. A version that is no semver can only be equal; so can a wanted one that is no range.
 */
export function compileVersion(wanted: string): (version: string) => boolean {
  const isRange = isShortRange(wanted) && semver.validRange(wanted) !== null;
  const range = isRange ? new semver.Range(wanted) : undefined;
  return (version) => version === wanted || (range !== undefined && semver.satisfies(version, range));
}

/** Every version is compared with every alternative. */
function isShortRange(wanted: string): boolean {
  const { range, alternatives } = BOUNDS;
  return wanted.trim() !== '' && wanted.length <= range && wanted.split('||').length <= alternatives;
}
