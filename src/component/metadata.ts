import { type Fault, pointerTo } from '../lib/faults.js';

/** What a registry knows of one component. Absent single values are absent, absent lists are empty. */
export interface Metadata {
  /** Absolute http(s) URL of the JavaScript module; host applications import it. */
  readonly uri: string;
  readonly label: string;
  readonly description?: string;
  readonly version?: string;
  readonly latest?: boolean;
  readonly author: readonly string[];
  readonly tag: readonly string[];
  /** Absolute IRIs of the data shapes that the component renders. */
  readonly shapes: readonly string[];
}

export type Field = keyof Metadata;

export const SINGLE_TEXT_FIELDS = ['label', 'description', 'version'] as const;
export const LIST_FIELDS = ['author', 'tag', 'shapes'] as const;
export const FIELDS: readonly Field[] = ['uri', ...SINGLE_TEXT_FIELDS, 'latest', ...LIST_FIELDS];

/** Characters per value and values per field; more is refused rather than cut. */
export const LIMITS = { uri: 2048, description: 16384, text: 1024, values: 64 } as const;

/**
 * The values that one description gives for each field, before anything is checked: an RDF graph may say
 * two labels or none, and JSON may say a number where a text belongs.
 */
export type Claims = Partial<Record<Field, readonly Claim[]>>;

/** One claimed value and where it stands in the input (RFC 6901), for the fault that it may cause. */
export interface Claim {
  value: unknown;
  path: readonly PropertyKey[];
}

export type Checked = { metadata: Metadata; faults?: never } | { metadata?: never; faults: Fault[] };

/**
 * Turns claims into metadata, or says everything that is wrong with them. `path` is where the component
 * itself stands in the input; faults about absent fields point there.
 * The rules are those of the design, section 3; repeated values of a list count once.
 */
export function checkMetadata(claims: Claims, path: readonly PropertyKey[] = []): Checked {
  const faults: Fault[] = [];
  const say = (at: readonly PropertyKey[], detail: string) => faults.push({ pointer: pointerTo(at), detail });

  const single = (field: Field): Claim | undefined => {
    const values = claims[field] ?? [];
    const different = values.filter(
      (claim, i) => values.findIndex((other) => other.value === claim.value) === i,
    );
    for (const extra of different.slice(1))
      say(extra.path, `${field} may have only one value, and another one is given`);
    return values[0];
  };

  const text = (claim: Claim, field: Field, limit: number = LIMITS.text): string | undefined => {
    const mayBeEmpty = field === 'description' || field === 'version';
    const fault = textFault(claim.value, limit, mayBeEmpty);
    if (fault) say(claim.path, `${field} ${fault}`);
    return fault ? undefined : (claim.value as string);
  };

  const uriClaim = single('uri');
  const uri = uriClaim && text(uriClaim, 'uri', LIMITS.uri);
  if (!uriClaim) say(path, 'uri is missing: the absolute http(s) URL of the module');
  else if (uri !== undefined && !isModuleUrl(uri)) {
    say(uriClaim.path, 'uri must be an absolute http or https URL without spaces, user name or password');
  }

  const texts: Partial<Record<Field, string>> = {};
  for (const field of SINGLE_TEXT_FIELDS) {
    const claim = single(field);
    if (!claim) continue;
    const value = text(claim, field, field === 'description' ? LIMITS.description : LIMITS.text);
    if (value !== undefined) texts[field] = value;
  }
  if (!claims.label?.length) say(path, 'label is missing');

  let latest: boolean | undefined;
  const latestClaim = single('latest');
  if (latestClaim) {
    latest = readBoolean(latestClaim.value);
    if (latest === undefined) say(latestClaim.path, 'latest must be true or false');
  }

  const lists: Record<(typeof LIST_FIELDS)[number], string[]> = { author: [], tag: [], shapes: [] };
  for (const field of LIST_FIELDS) {
    const values = claims[field] ?? [];
    if (values.length > LIMITS.values) {
      say(
        values[LIMITS.values]?.path ?? path,
        `${field} has ${values.length} values, at most ${LIMITS.values} are allowed`,
      );
      continue;
    }
    for (const claim of values) {
      const value = text(claim, field);
      if (value === undefined) continue;
      if (field === 'shapes' && !isAbsoluteIri(value)) say(claim.path, 'shapes must be absolute IRIs');
      else if (!lists[field].includes(value)) lists[field].push(value);
    }
  }

  if (faults.length > 0 || uri === undefined || texts.label === undefined) return { faults };
  return {
    metadata: {
      uri,
      label: texts.label,
      ...(texts.description === undefined ? {} : { description: texts.description }),
      ...(texts.version === undefined ? {} : { version: texts.version }),
      ...(latest === undefined ? {} : { latest }),
      // RDF has no order of values: sorted, the same component looks the same wherever it was read.
      author: lists.author.sort(),
      tag: lists.tag.sort(),
      shapes: lists.shapes.sort(),
    },
  };
}

/** Order of components everywhere: by UTF-16 code units of the uri, the same on every node and locale. */
export function compareUri(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Do two descriptions of a component say the same? */
export function sameMetadata(one: Metadata, other: Metadata): boolean {
  return (
    one.uri === other.uri &&
    one.label === other.label &&
    one.description === other.description &&
    one.version === other.version &&
    one.latest === other.latest &&
    LIST_FIELDS.every(
      (field) =>
        one[field].length === other[field].length &&
        one[field].every((value, i) => value === other[field][i]),
    )
  );
}

/** The string `"true"` counts: the specification's request body and existing pods write it so. */
export function readBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  return undefined;
}

function textFault(value: unknown, limit: number, mayBeEmpty: boolean): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value === '' && !mayBeEmpty) return 'must not be empty';
  if (value.length > limit) return `has ${value.length} characters, at most ${limit} are allowed`;
  // A lone surrogate has no UTF-8 form and U+0000 no place in XML or in the store's keys.
  if (!value.isWellFormed() || value.includes('\0')) return 'holds characters that are not valid text';
  return undefined;
}

// RFC 3987 forbids these in IRIs, and N-Triples could not write them down.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|\\^`\u007f-\u009f]/;

/** An IRI with a scheme, of characters that every RDF syntax can write (RFC 3987, section 2.2). */
export function isAbsoluteIri(value: string): boolean {
  return /^[a-z][a-z0-9+.-]*:./i.test(value) && !NOT_IN_IRI.test(value);
}

function isModuleUrl(value: string): boolean {
  if (!/^https?:\/\//i.test(value) || !isAbsoluteIri(value) || !URL.canParse(value)) return false;
  const { username, password, hostname } = new URL(value);
  return username === '' && password === '' && hostname !== '';
}
