import type { InvalidDescription } from '../../component/reading/described.js';
import { describedInJson } from '../../component/reading/json-descriptions.js';
import { LOCAL } from '../../component/source.js';
import { createVocabulary } from '../../component/vocabulary.js';
import { MalformedInput } from '../../lib/faults.js';
import type { ListingBody, Statements } from './listing-body.js';

/** Objects that are read at a time. */
const SLICE = 50;

/**
 * Reads the JSON listing of the specification, in any of the forms that nodes write it, or plain objects.
 * It names no graphs, so all of it counts as said by the peer itself.
 * @throws MalformedInput for JSON that describes no components
 */
export function* statementsInJson(body: unknown, { namespace, base }: ListingBody): Generator<Statements> {
  const vocabulary = createVocabulary(namespace);
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  let recognised = objects.length === 0;
  for (let at = 0; at < objects.length; at += SLICE) {
    const { components, invalid } = describedInJson(objects.slice(at, at + SLICE), vocabulary, base);
    // A description without a uri has no name but its place, which is counted from the slice's beginning.
    const named = invalid.filter(({ subject }) => !PLACE.test(subject));
    recognised ||= components.length + named.length > 0;
    yield { graph: LOCAL.url, described: { components, invalid: named.concat(placed(invalid, at)) } };
  }
  if (!recognised) throw new MalformedInput('it is JSON, and describes no components');
}

const PLACE = /^#\d+$/;

function placed(invalid: readonly InvalidDescription[], from: number): InvalidDescription[] {
  return invalid
    .filter(({ subject }) => PLACE.test(subject))
    .map(({ subject, faults }) => ({ subject: `#${from + Number(subject.slice(1))}`, faults }));
}

/** Does it take a JSON-LD processor to understand this? */
export function isCompactJsonLd(body: unknown): boolean {
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  return objects.some(
    (object) => typeof object === 'object' && object !== null && ('@context' in object || '@graph' in object),
  );
}
