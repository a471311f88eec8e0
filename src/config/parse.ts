import type * as z from 'zod';
import type { ConfigFault } from './fault.js';
import { type Settings, settings } from './schema.js';

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** Checks a value against the schema: the settings, or all that is wrong with it. */
export function parseSettings(
  written: Readonly<Record<string, unknown>>,
): { readonly settings: Settings } | { readonly faults: readonly ConfigFault[] } {
  const parsed = settings.safeParse(written);
  if (parsed.success) return { settings: parsed.data };
  const faults = parsed.error.issues.flatMap((issue) => deepest(issue)).flatMap(faultsOf);
  return { faults: [...new Map(faults.map((fault) => [`${fault.key} ${fault.detail}`, fault])).values()] };
}

/** `pods[1].auth.id` */
function keyOf(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

/** Of a union (URL string or object), the faults of the alternative that was meant: the one whose type fits. */
function deepest(issue: Issue, at: Path = []): Issue[] {
  const path = [...at, ...issue.path];
  const isOfType = (faults: readonly Issue[]) =>
    !faults.some((one) => one.code === 'invalid_type' && one.path.length === 0);
  const meant = issue.code === 'invalid_union' ? issue.errors.find(isOfType) : undefined;
  return meant ? meant.flatMap((one) => deepest(one, path)) : [{ ...issue, path }];
}

function faultsOf({ path, message, ...issue }: Issue): ConfigFault[] {
  if (issue.code !== 'unrecognized_keys') return [{ key: keyOf(path), detail: message }];
  return issue.keys.map((name) => ({ key: keyOf([...path, name]), detail: message }));
}
