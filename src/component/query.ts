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

const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((written) => written === true || written === 'true');
export const trusts = z.enum(TRUSTS, `must be one of ${TRUSTS.join(', ')}`);
const search = text(BOUNDS.search).refine(
  (words) => searchWords(words).length <= BOUNDS.words,
  `may have at most ${BOUNDS.words} words`,
);
/** Tested together, because one capability has to meet all of them. */
const ofCapability = (schema: z.ZodType<string>, name: string) =>
  schema.describe(`${name}; one capability has to meet everything that is asked of capabilities`);

/** What the body of `POST /component/query` is checked against; descriptions are what the OpenAPI document says. */
export const querySchema = z
  .strictObject({
    uri: text(LIMITS.uri).describe('equals the uri'),
    label: value.describe('equals the label'),
    description: text(LIMITS.description).describe('equals the description'),
    version: value.describe('equals the version, or is an npm semver range that contains it'),
    latest: flag.describe('equals latest'),
    author: texts.describe('every one of these is an author'),
    tag: texts.describe('every one of these is a tag'),
    shapes: shapeTexts.describe(
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
    source: text(LIMITS.uri).describe('equals the URL of the source whose description is served'),
    trust: trusts.describe(
      'how far the operator answers for the source: `own`; `configured`, which includes own; or `learned` alone',
    ),
    q: search.describe(
      'words that all occur in label, description, tags, authors or the names of shapes, whatever their case and accents',
    ),
    shape: shapeTexts.describe('means the same as shapes'),
  })
  .partial();

/** The names that a request may give to constraints: `shape`, as existing pods write it, means the same as `shapes`. */
export const CONSTRAINT_NAMES: readonly string[] = Object.keys(querySchema.shape);

/** Constraints on components, as the schema describes them; all of them must hold, and `{}` matches everything. */
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

const sameText =
  (field: 'label' | 'description') =>
  (wanted: string): Test => {
    const written = Buffer.from(`${JSON.stringify(field)}:${JSON.stringify(wanted)}`);
    return (candidate) => candidate.mayContain(written) && candidate.metadata[field] === wanted;
  };

/** What is not here is found by lists of the catalog, or looked at with capabilities as a whole. */
const TESTS: { readonly [Name in keyof Query]: (wanted: NonNullable<Query[Name]>) => Test | undefined } = {
  label: sameText('label'),
  description: sameText('description'),
  version(wanted) {
    const matches = compileVersion(wanted);
    return ({ version }) => version !== undefined && matches(version);
  },
  latest(wanted) {
    return ({ latest }) => latest === wanted;
  },
  source(wanted) {
    return ({ source }) => source.url === wanted;
  },
  trust(wanted) {
    return ({ trust }) => trust === wanted || (wanted === 'configured' && trust === 'own');
  },
  q(wanted) {
    const words = searchWords(wanted);
    if (words.length === 0) return undefined;
    return ({ searchText }) => words.every((word) => searchText.includes(word));
  },
};

/** The test for a query, but for `uri`, `author`, `tag` and `shapes`, by which candidates are looked up. */
export function compileQuery(query: Query): Test {
  const tests: Test[] = [];
  for (const [name, testFor] of Object.entries(TESTS)) {
    const wanted = query[name as keyof Query];
    // The types of the name and of the value fit each other in the table, but TypeScript cannot see that in a loop.
    const test =
      wanted === undefined ? undefined : (testFor as (wanted: unknown) => Test | undefined)(wanted);
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
