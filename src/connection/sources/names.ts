import type { Quad } from '@rdfjs/types';
import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import { createRateLimit } from '../../lib/rate-limit.js';
import { sameUri, uriKey } from '../uri.js';
import type { Reading, SourceRequest } from './source-reading.js';

/** What pages say of a purpose, or of who invites, in place of its IRI. */
export interface Named {
  readonly iri: string;
  readonly name: string;
  readonly sentence?: string | undefined;
  /** Whom to ask: an e-mail address, a URL or a number. */
  readonly contact?: string | undefined;
  /** URL of the page that says what becomes of the data. */
  readonly privacy?: string | undefined;
  /** Who has given the name: the operator, the document at the IRI, or nobody, so that it is the IRI. */
  readonly by: 'operator' | 'document' | 'nobody';
}

/** Names an IRI. Never rejects, and takes at most `LONGEST_MS`. */
export type NameOf = (iri: string) => Promise<Named>;

/** How long a visitor waits for the document, in ms. Who waited in vain sees the IRI. */
const LONGEST_MS = 3000;
/** How long what a document said is not asked for again, and how long one that gave no name, in ms. */
const KEPT_MS = 3_600_000;
const RETRIED_MS = 300_000;
/** Whoever may invite chooses the address, so the node asks for only so many. */
const LIMIT = { concurrent: 8, perMinute: 60 };
/** IRIs that are remembered; beyond, the oldest are forgotten. */
const REMEMBERED = 1000;
/** Characters of a document's text that are shown. */
const LONGEST_NAME = 100;
const LONGEST_SENTENCE = 500;

const NAMES = [
  'http://www.w3.org/2000/01/rdf-schema#label',
  'http://purl.org/dc/terms/title',
  'http://purl.org/dc/elements/1.1/title',
];
const SENTENCES = ['http://purl.org/dc/terms/description', 'http://www.w3.org/2000/01/rdf-schema#comment'];

export interface NamesParts {
  readonly purposes: Config['invites']['purposes'];
  readonly read: (request: SourceRequest) => Promise<Reading>;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

/**
 * Looks names up in the configuration first, else in the document at the IRI, which is not trusted: it is read through the
 * guarded fetch, at most so often, and what it said is remembered.
 */
export function createNames({ purposes, read, clock, signal }: NamesParts): NameOf {
  const configured = new Map(Object.entries(purposes).map(([iri, said]) => [uriKey(iri), said]));
  const known = new Map<string, { until: number; readonly named: Promise<Named> }>();
  const limit = createRateLimit(clock, LIMIT);

  const fromDocument = async (iri: string): Promise<Named> => {
    const request = { url: iri, known: {}, credentials: undefined, signal, timeoutMs: LONGEST_MS };
    const reading = await read(request);
    return (reading.kind === 'whole' ? nameIn(reading.quads, iri) : undefined) ?? unnamed(iri);
  };
  const remember = (key: string, named: Promise<Named>) => {
    const entry = { until: clock.now() + RETRIED_MS, named };
    known.delete(key);
    known.set(key, entry);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return named.then((found) => {
      if (found.by === 'document') entry.until = clock.now() + KEPT_MS;
      return found;
    });
  };
  return async (iri) => {
    const key = uriKey(iri);
    const said = configured.get(key);
    if (said) return { iri, ...said, by: 'operator' };
    if (!/^https?:/i.test(iri)) return unnamed(iri);
    const before = known.get(key);
    if (before && before.until > clock.now()) return before.named;
    const named = limit.run(
      () => fromDocument(iri),
      () => unnamed(iri),
    );
    return remember(
      key,
      named.catch(() => unnamed(iri)),
    );
  };
}

function unnamed(iri: string): Named {
  return { iri, name: iri, by: 'nobody' };
}

/** What the triples say of the IRI itself; undefined when they give it no name. */
export function nameIn(quads: readonly Quad[], iri: string): Named | undefined {
  const about = quads.filter(
    ({ subject }) => subject.termType === 'NamedNode' && sameUri(subject.value, iri),
  );
  const name = textOf(about, NAMES, LONGEST_NAME);
  if (name === undefined) return undefined;
  return { iri, name, sentence: textOf(about, SENTENCES, LONGEST_SENTENCE), by: 'document' };
}

/** Pages are in English: that is taken first, then what names no language, then any. */
function textOf(about: readonly Quad[], predicates: readonly string[], most: number): string | undefined {
  const texts = predicates.flatMap((predicate) =>
    about.flatMap((quad) =>
      quad.predicate.value === predicate &&
      quad.object.termType === 'Literal' &&
      quad.object.value.trim() !== ''
        ? [{ text: quad.object.value.trim(), rank: rankOf(quad.object.language) }]
        : [],
    ),
  );
  const best = texts.toSorted((one, other) => one.rank - other.rank)[0]?.text;
  return best !== undefined && best.length > most ? `${best.slice(0, most).toWellFormed()} …` : best;
}

function rankOf(language: string): number {
  return /^en\b/i.test(language) ? 0 : language === '' ? 1 : 2;
}
