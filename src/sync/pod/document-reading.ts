import type { RdfDocument } from '../../component/rdf/rdf-parse.js';
import type { Described } from '../../component/reading/described.js';
import { describeDocument } from '../../component/reading/document-tasks.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import type { DocumentRecord } from '../../core/document-record.js';
import type { DocumentReading } from '../../core/reading.js';
import type { StoredDocument } from '../../core/source-record.js';
import { explain, MalformedInput, TaskTimeout } from '../../lib/faults.js';
import type { LogTo } from '../../lib/log.js';
import type { Undecoded } from '../../lib/pool/handed-text.js';
import { type Parsing, PoolBusy } from '../../lib/pool/task.js';
import { invalidComponents } from '../invalid-components.js';
import { PollTimeout, throwIfStopped } from '../source-reader.js';
import { stumbled } from '../wrong.js';
import type { Member } from './container.js';
import {
  afterFailure,
  afterTimeout,
  afterUnchanged,
  afterUnreadable,
  type Stamps,
  sameRecord,
  stampsOf,
} from './document-record.js';
import type { Reading, Unusable, Whole } from './pod-request.js';

/** What was learned of a document that is not withdrawn. */
export type Known = Exclude<Reading, { kind: 'withdrawn' }>;

export interface ReadingParts {
  readonly vocabulary: Vocabulary;
  readonly parsing: Parsing;
  /** Components that are kept of a document at most. */
  readonly most: number;
  /** Ms since the epoch. */
  readonly now: () => number;
  readonly log: LogTo<'error'>;
}

/**
 * What an answer about a document says of it: its components, what is to be remembered of it, or (often) nothing.
 * `described` is what a whole answer describes, where that is known already.
 */
export async function readingOf(
  reading: Known,
  member: Member,
  stored: StoredDocument | undefined,
  parts: ReadingParts,
  described?: Described,
): Promise<DocumentReading | undefined> {
  const { url } = member;
  switch (reading.kind) {
    case 'failed':
      return remember(url, stored, afterFailure(stored, reading.message, parts.now()));
    case 'unchanged':
      return stored && remember(url, stored, afterUnchanged(stored, member, reading.date, parts.now()));
    case 'unusable':
      return unusable(reading, member, stored, parts);
    case 'whole':
      return whole(reading, member, stored, parts, described);
  }
}

/** A body as the parser takes it. Relative IRIs are resolved against the URL that answered. */
export function documentOf(
  { text, mediaType, url }: Whole,
  { namespace }: Vocabulary,
): Undecoded<RdfDocument> {
  return { text, mediaType, baseIri: url, namespace };
}

/** Pods may hold images and texts. One in place of a document that had components is a fault: that is more likely a mistake. */
function unusable(
  reading: Unusable,
  member: Member,
  stored: StoredDocument | undefined,
  { now }: ReadingParts,
) {
  const { url, modified } = member;
  if (reading.otherType && !stored?.components) {
    return remember(url, stored, { ...stampsOf(reading, modified), readAt: now() });
  }
  return remember(url, stored, afterUnreadable(stored, stampsOf(reading, modified), reading.message, now()));
}

async function whole(
  reading: Whole,
  member: Member,
  stored: StoredDocument | undefined,
  { vocabulary, parsing, most, now, log }: ReadingParts,
  described?: Described,
): Promise<DocumentReading | undefined> {
  const { url } = member;
  const stamps = withHash(stampsOf(reading, member.modified), reading);
  if (stamps.hash && stored && stamps.hash === stored.hash) {
    return remember(url, stored, afterUnchanged(stored, member, reading.date, now()));
  }
  try {
    const { components, invalid, unnamed, omitted } =
      described ?? (await describeDocument({ ...documentOf(reading, vocabulary), most }, parsing));
    const named = invalidComponents(invalid, unnamed);
    return {
      url,
      components,
      record: { ...stamps, readAt: now(), invalid: named.length === 0 ? undefined : named, omitted },
    };
  } catch (error) {
    if (error instanceof PollTimeout) return undefined;
    if (parsing.signal) throwIfStopped(parsing.signal);
    if (error instanceof MalformedInput && !(error instanceof TaskTimeout))
      return remember(url, stored, afterUnreadable(stored, stamps, explain(error), now()));
    if (error instanceof PoolBusy || error instanceof TaskTimeout)
      return { url, record: afterTimeout(stored, member, error.message, now()) };
    log.error({ document: url, err: error }, 'this node stumbled over a document');
    return { url, record: afterTimeout(stored, member, stumbled(error), now()) };
  }
}

function remember(
  url: string,
  stored: StoredDocument | undefined,
  record: DocumentRecord,
): DocumentReading | undefined {
  return sameRecord(stored, record) ? undefined : { url, record };
}

/** Where the server sends no validator, the text itself has to tell whether it is new. */
function withHash(stamps: Stamps, { hash }: Whole): Stamps & Pick<DocumentRecord, 'hash'> {
  const hasValidator = Object.values(stamps).some((value) => value !== undefined);
  return hasValidator || hash === undefined ? stamps : { hash };
}
