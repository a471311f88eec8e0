import * as z from 'zod';
import type { DeepReadonly } from './capability.js';
import { type CapabilityQuery, matchesCapability, queriedName, writtenIn } from './capability-query.js';
import { LIST_FIELDS } from './fields.js';
import type { Metadata } from './metadata.js';
import { searchWords } from './search-text.js';
import { isNoShape, shapeIri, WRITE_SHAPES } from './shape-names.js';
import { type Source, type SourceTrust, TRUSTS } from './source.js';
import { invalidInput, LIMITS } from './values.js';
import { compileVersion } from './version-range.js';

/**
 * Bounds of a search: characters and words. Queries need no token and are answered without a pause, so every query must
 * be cheap.
 */
const BOUNDS = { search: 200, words: 12 } as const;

const text = (limit: number) =>
  z.string('must be a string').max(limit, `may have at most ${limit} characters`);
const value = text(LIMITS.text);
const texts = z
  .union(
    [value, z.array(value).max(LIMITS.values)],
    `must be a string or an array of at most ${LIMITS.values} strings of at most ${LIMITS.text} characters`,
  )
  .transform((values) => (typeof values === 'string' ? [values] : values));

const shapeTexts = texts
  .refine((all) => !all.some(isNoShape), `must be shapes: ${WRITE_SHAPES}`)
  .transform((all) => all.map(shapeIri));

/** A component that a query is tested on. The parts are separate, so that some can be had without parsing all. */
export interface Candidate {
  readonly metadata: Metadata;
  readonly version: string | undefined;
  readonly latest: boolean | undefined;
  readonly searchText: string;
  readonly source: Source;
  readonly trust: SourceTrust;
  /**
   * Do these bytes (a field and its value as JSON, in UTF-8) occur in the description? This rules out most candidates
   * without parsing them.
   */
  mayContain(json: Buffer): boolean;
}

type Test = (candidate: Candidate) => boolean;

interface Constraint<T> {
  /** How a request may write it; `description` is what the OpenAPI document says of it. */
  readonly schema: z.ZodType<T | undefined>;
  /** Makes the test for a wanted value; undefined when every candidate passes it. */
  readonly test: (wanted: T) => Test | undefined;
}

/** Without a test where something else finds the components: lists of the catalog, or what looks at capabilities as a whole. */
function constraint<T>(
  schema: z.ZodType<T>,
  description: string,
  test: Constraint<T>['test'] = () => undefined,
): Constraint<T> {
  return { schema: schema.optional().describe(description), test };
}

const equal = <T>(schema: z.ZodType<T>, description: string, pick: (candidate: Candidate) => T | undefined) =>
  constraint(schema, description, (wanted) => (candidate) => pick(candidate) === wanted);

const sameText = (field: 'label' | 'description', limit: number) =>
  constraint(text(limit), `equals the ${field}`, (wanted) => {
    const written = Buffer.from(`${JSON.stringify(field)}:${JSON.stringify(wanted)}`);
    return (candidate) => candidate.mayContain(written) && candidate.metadata[field] === wanted;
  });

/** Tested together, because one capability has to meet all of them. */
const ofCapability = (schema: z.ZodType<string>, name: string) =>
  constraint(schema, `${name}; one capability has to meet everything that is asked of capabilities`);

const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((written) => written === true || written === 'true');
export const trusts = z.enum(TRUSTS, `must be one of ${TRUSTS.join(', ')}`);
const search = text(BOUNDS.search).refine(
  (words) => searchWords(words).length <= BOUNDS.words,
  `may have at most ${BOUNDS.words} words`,
);

/** All constraints: how each is written in a request, and what it means. */
const CONSTRAINT_TABLE = {
  uri: constraint(text(LIMITS.uri), 'equals the uri'),
  label: sameText('label', LIMITS.text),
  description: sameText('description', LIMITS.description),
  version: constraint(value, 'equals the version, or is an npm semver range that contains it', (wanted) => {
    const matches = compileVersion(wanted);
    return ({ version }) => version !== undefined && matches(version);
  }),
  latest: equal(flag, 'equals latest', ({ latest }) => latest),
  author: constraint(texts, 'every one of these is an author'),
  tag: constraint(texts, 'every one of these is a tag'),
  shapes: constraint(
    shapeTexts,
    'every one of these is a shape: an IRI, or a name with a usual prefix, as foaf:Person',
  ),
  action: ofCapability(
    value.transform(queriedName),
    'a capability has this action: `odrl:` and `ac:` names, or IRIs; `odrl:display` is that of capabilities without one',
  ),
  accept: ofCapability(value, 'a capability names this media type among those that it takes'),
  invocation: ofCapability(
    value.transform(queriedName),
    'a capability has an invocation of this kind; `none`: it needs no invocation, but takes `entry` and speaks the four events',
  ),
  source: equal(
    text(LIMITS.uri),
    'equals the URL of the source whose description is served',
    ({ source }) => source.url,
  ),
  trust: constraint<SourceTrust>(
    trusts,
    'how far the operator answers for the source: `own`; `configured`, which includes own; or `learned` alone',
    (wanted) =>
      ({ trust }) =>
        trust === wanted || (wanted === 'configured' && trust === 'own'),
  ),
  q: constraint(
    search,
    'words that all occur in label, description, tags, authors or the names of shapes, whatever their case and accents',
    (wanted) => {
      const words = searchWords(wanted);
      if (words.length === 0) return undefined;
      return ({ searchText }) => words.every((word) => searchText.includes(word));
    },
  ),
} as const;

type ConstraintName = keyof typeof CONSTRAINT_TABLE;

/** The constraints: the fields, and `q`. */
const CONSTRAINTS = Object.keys(CONSTRAINT_TABLE) as readonly ConstraintName[];

/** The names that a request may give to constraints: `shape`, as existing pods write it, means the same as `shapes`. */
export const CONSTRAINT_NAMES: readonly string[] = [...CONSTRAINTS, 'shape'];

/** What the body of `POST /component/query` is checked against. */
export const querySchema = z.strictObject({
  ...(Object.fromEntries(CONSTRAINTS.map((name) => [name, CONSTRAINT_TABLE[name].schema])) as {
    [name in ConstraintName]: (typeof CONSTRAINT_TABLE)[name]['schema'];
  }),
  shape: shapeTexts.optional().describe('means the same as shapes'),
});

/** Constraints on components, as the table describes them; all of them must hold, and `{}` matches everything. */
export type Query = Partial<DeepReadonly<Omit<z.output<typeof querySchema>, 'shape'>>>;

/** Reads a query from the parsed JSON body of a request. @throws InvalidInput naming every fault */
export function readQuery(body: unknown): Query {
  const parsed = querySchema.safeParse(body);
  if (parsed.success) return queryOf(parsed.data);
  const names = CONSTRAINT_NAMES.join(', ');
  throw invalidInput('The query is not valid', parsed.error, {
    whole: 'must be a JSON object of constraints',
    unknown: `unknown constraint; there are ${names}`,
  });
}

function queryOf(body: z.output<typeof querySchema>): Query {
  if (body.shape === undefined) return body;
  const { shape, shapes = [], ...others } = body;
  return { ...others, shapes: [...shapes, ...shape] };
}

const LISTS: readonly string[] = [...LIST_FIELDS, 'shape'];

/** Reads a query from the parameters of a URL; a repeated list parameter asks for all of its values. @throws InvalidInput */
export function readQueryParameters(parameters: URLSearchParams): Query {
  const body: Record<string, unknown> = Object.create(null);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name);
    body[name] = values.length === 1 && !LISTS.includes(name) ? values[0] : values;
  }
  return readQuery({ ...body });
}

/** The test for a query, but for `uri`, `author`, `tag` and `shapes`, by which candidates are looked up. */
export function compileQuery(query: Query): Test {
  const tests: Test[] = [];
  for (const name of CONSTRAINTS) {
    const wanted = query[name];
    if (wanted === undefined) continue;
    // The types of the name and of the value fit each other in the table, but TypeScript cannot see that in a loop.
    const test = (CONSTRAINT_TABLE[name].test as (wanted: unknown) => Test | undefined)(wanted);
    if (test) tests.push(test);
  }
  const { action, accept, invocation } = query;
  if ([action, accept, invocation].some((wanted) => wanted !== undefined))
    tests.push(hasCapability({ action, accept, invocation }));
  return tests.length === 0 ? matchesAll : (candidate) => tests.every((test) => test(candidate));
}

/** What `compileQuery` returns when there is nothing left to test. */
export function matchesAll(): boolean {
  return true;
}

function hasCapability(wanted: CapabilityQuery): Test {
  const written = writtenIn(wanted).map((text) => Buffer.from(text));
  return (candidate) =>
    written.every((text) => candidate.mayContain(text)) &&
    matchesCapability(candidate.metadata.capability ?? [], wanted);
}
