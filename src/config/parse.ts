import type * as z from 'zod';
import { nearest } from '../lib/nearest.js';
import { STORE_URL } from './environment.js';
import type { ConfigFault } from './fault.js';
import { configReference } from './reference.js';
import { type Settings, settings } from './schema.js';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

export interface ParsedSettings {
  readonly faults: readonly ConfigFault[];
  /** What was understood, with defaults where faults stand, so that the rest can be judged in the same go. */
  readonly settings: Settings;
}

/** Checks a value against the schema and finds all that is wrong with it. */
export function parseSettings(written: Readonly<Record<string, unknown>>): ParsedSettings {
  const parsed = settings.safeParse(written);
  if (parsed.success) return { faults: [], settings: parsed.data };
  const wrong = parsed.error.issues.flatMap((issue) => deepest(issue));
  return {
    faults: distinct(wrong.flatMap(faultsOf)),
    settings: settings.parse(without(written, wrong.flatMap(pathsOf))),
  };
}

/** `pods[1].auth.id` */
export function keyOf(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * Of a union (URL string or object), the faults of the alternative that was meant: the one whose type fits.
 */
function deepest(issue: Issue, at: Path = []): Issue[] {
  const path = [...at, ...issue.path];
  const meant =
    issue.code === 'invalid_union'
      ? issue.errors.find(
          (faults) => !faults.some((one) => one.code === 'invalid_type' && one.path.length === 0),
        )
      : undefined;
  return meant ? meant.flatMap((one) => deepest(one, path)) : [{ ...issue, path }];
}

function faultsOf(issue: Issue): ConfigFault[] {
  if (issue.code !== 'unrecognized_keys') return [{ key: keyOf(issue.path), detail: issue.message }];
  return issue.keys.map((name) => ({
    key: keyOf([...issue.path, name]),
    detail: unknownKey(name, issue.path, issue.message),
  }));
}

/** @param names of the keys that there are, with commas */
function unknownKey(name: string, path: Path, names: string): string {
  if (/operator_?token/i.test(name))
    return 'is a secret and never read from a file: set the environment variable REGISTRY_OPERATOR_TOKEN';
  if (path[0] === 'store' && name === 'url')
    return `may hold a password and is never read from a file: set the environment variable ${STORE_URL}`;
  const elsewhere = configReference().find(({ key }) => key.endsWith(`.${name}`))?.key;
  const near = nearest(name, names.split(', '));
  const meant = near === undefined ? elsewhere : keyOf([...path, near]);
  const hint = meant === undefined ? '; allowed' : `, did you mean ${meant}? Allowed`;
  return `unknown key${hint} here: ${names}`;
}

function pathsOf(issue: Issue): Path[] {
  const paths =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  // Below a section and its key are entries whose names the operator chooses; a faulty one goes as a whole.
  return paths.map((path) => path.slice(0, 3));
}

/** A copy without what stands at these paths: a faulty key goes, and a faulty item of a list as a whole. */
function without(value: unknown, paths: readonly Path[]): unknown {
  if (paths.length === 0 || typeof value !== 'object' || value === null) return value;
  const inside = (key: PropertyKey) => paths.filter(([first]) => first === key).map((path) => path.slice(1));
  if (Array.isArray(value)) return value.filter((_, i) => inside(i).length === 0);
  const kept = Object.entries(value).filter(([key]) => !inside(key).some((rest) => rest.length === 0));
  return Object.fromEntries(kept.map(([key, item]) => [key, without(item, inside(key))]));
}

function distinct(faults: readonly ConfigFault[]): ConfigFault[] {
  return [...new Map(faults.map((fault) => [`${fault.key} ${fault.detail}`, fault])).values()];
}
