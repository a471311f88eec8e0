import type { Match } from './candidate.js';
import type { ComponentMetadata } from './component-metadata.js';
import { isObject, type JsonObject, readComponent, readList } from './listing.js';

/** A component as a node says that it fits. */
export type Matched = ComponentMetadata & Pick<Match, 'reasons' | 'missing'>;

/** Reads what `POST /match` answers. @throws HostError `syntax` for what is no list */
export function readMatches(text: string, from: string): Matched[] {
  return readList(text, from).flatMap(({ component, because, missing }) =>
    objects([component])
      .flatMap(readComponent)
      .map((one) => ({
        ...one,
        reasons: objects(because).map((reason) => ({ code: `${reason.code}`, text: `${reason.text}` })),
        ...missingIn(missing),
      })),
  );
}

function missingIn(missing: unknown): Pick<Matched, 'missing'> {
  const [read] = objects([missing]);
  return read ? { missing: { types: texts(read.types), predicates: texts(read.predicates) } } : {};
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
