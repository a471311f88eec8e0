import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import { PARSED_MEDIA_TYPES } from '../../component/rdf/rdf-parse.js';
import type { InvalidDescription } from '../../component/reading/described.js';
import { describedInJson } from '../../component/reading/json-descriptions.js';
import { LOCAL } from '../../component/source.js';
import { createVocabulary, type Vocabulary } from '../../component/vocabulary.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { MalformedInput } from '../../lib/faults.js';
import type { Task } from '../../lib/pool/task.js';
import type { Wrong } from '../wrong.js';
import { describedOrNot, type ListingBody, type Statements, statementsInRdf } from './quad-listing.js';

/** One thing that a graph says: a component, or a description that breaks a rule; or why nothing of it can be taken. */
export type Row =
  | readonly [graph: string, kind: 'component', Metadata]
  | readonly [graph: string, kind: 'invalid', InvalidDescription]
  | readonly [graph: string, kind: 'refused', why: string]
  | readonly [graph: string, kind: 'stumble', Wrong]
  | readonly [graph: string, kind: 'empty', null];

/** How much is handed over at a time: copying it takes the receiver less than a millisecond. */
const PORTION = { rows: 100, bytes: 50_000 };

/** Reads one page of a peer's listing of components. */
export const listingTask: Task<ListingBody, readonly Row[]> = {
  module: 'sync/peer/listing-task.js',
  name: 'listingTask',
  async *run(body) {
    let rows: Row[] = [];
    let bytes = 0;
    for await (const statements of statementsIn(body)) {
      for (const row of rowsOf(statements)) rows.push(row);
      for (const component of statements.described?.components ?? []) bytes += sizeOf(component);
      if (rows.length < PORTION.rows && bytes < PORTION.bytes) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
    yield rows;
  },
};

function* rowsOf({ graph, described, refused, stumble }: Statements): Generator<Row> {
  if (refused !== undefined) yield [graph, 'refused', refused];
  if (stumble) yield [graph, 'stumble', stumble];
  if (!described) return;
  const { components, invalid } = described;
  if (components.length + invalid.length === 0) yield [graph, 'empty', null];
  for (const component of components) yield [graph, 'component', component];
  for (const description of invalid) yield [graph, 'invalid', description];
}

async function* statementsIn(body: ListingBody): AsyncGenerator<Statements> {
  const { text, mediaType } = body;
  if (/[/+]json$/.test(mediaType) || (mediaType === '' && /^\s*[[{]/.test(text))) {
    const parsed = parseBoundedJson(text);
    if (isCompactJsonLd(parsed)) yield* statementsInRdf(body, 'application/ld+json');
    else yield* statementsInJson(parsed, body);
    return;
  }
  if (!PARSED_MEDIA_TYPES.includes(mediaType)) {
    throw new MalformedInput(`it is ${mediaType || 'of no media type'}, which is no listing of components`);
  }
  yield* statementsInRdf(body, mediaType);
}

/** Objects that are read at a time. */
const SLICE = 50;

/**
 * Reads the JSON listing of the specification, in any of the forms that nodes write it, or plain objects.
 * It names no graphs, so all of it counts as said by the peer itself.
 * @throws MalformedInput for JSON that describes no components
 */
function* statementsInJson(body: unknown, { namespace, base }: ListingBody): Generator<Statements> {
  const vocabulary = createVocabulary(namespace);
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  let recognised = objects.length === 0;
  for (let at = 0; at < objects.length; at += SLICE) {
    const slice = describedSlice(objects.slice(at, at + SLICE), vocabulary, at, base);
    for (const { described, stumble, from } of slice) {
      // A description without a uri is named by its index, which is counted from the slice's beginning.
      const named = described.invalid.filter(({ subject }) => !BY_INDEX.test(subject));
      recognised ||= described.components.length + named.length > 0;
      const invalid = named.concat(renumbered(described.invalid, from));
      yield { graph: LOCAL.url, described: { components: described.components, invalid }, stumble };
    }
  }
  if (!recognised) throw new MalformedInput('it is JSON, and describes no components');
}

/** All objects together, or one by one where this node stumbles over one of them; with the index of the first. */
function* describedSlice(objects: readonly unknown[], vocabulary: Vocabulary, at: number, base: string) {
  const read = (some: readonly unknown[]) =>
    describedOrNot('#0', () => describedInJson(some, vocabulary, base));
  const all = read(objects);
  if (!all.stumble) yield { ...all, from: at };
  else for (const [i, object] of objects.entries()) yield { ...read([object]), from: at + i };
}

const BY_INDEX = /^#\d+$/;

function renumbered(invalid: readonly InvalidDescription[], from: number): InvalidDescription[] {
  return invalid
    .filter(({ subject }) => BY_INDEX.test(subject))
    .map(({ subject, faults }) => ({ subject: `#${from + Number(subject.slice(1))}`, faults }));
}

/** Does it take a JSON-LD processor to understand this? */
function isCompactJsonLd(body: unknown): boolean {
  const objects: readonly unknown[] = Array.isArray(body) ? body : [body];
  return objects.some(
    (object) => typeof object === 'object' && object !== null && ('@context' in object || '@graph' in object),
  );
}
