import type { Metadata } from '../../../component/metadata.js';
import { searchText } from '../../../component/search-text.js';
import {
  type DocumentBefore,
  documentSteps,
  hashStep,
  hasMoved,
  isRegrouped,
  isWhole,
  StepCount,
} from '../../../core/document-change.js';
import type { HashChange } from '../../../core/source-digests.js';
import { grouped } from '../../../lib/grouped.js';
import type { Breather } from '../../../lib/pace.js';
import type { ChangeCount } from '../../../registry/change.js';
import type { DocumentChange } from '../../../registry/source-change.js';
import type { Session } from '../connection/session.js';
import { orderKey } from '../order-key.js';
import { metadataOf, payloadMark, payloadOf } from '../payload.js';
import { termsOf } from '../terms.js';
import { type Differing, readDiffering } from './differing.js';
import { readByDocument, readNamed, type StoredStatement } from './statements.js';
import type { StoredDocument } from './stored-documents.js';

/**
 * A statement as a change leaves it, with all that is made of it: the head is not locked yet, nor does anybody wait.
 * `offset`: its place among the positions that the commit is given.
 */
export interface Put {
  readonly uri: string;
  readonly document: string;
  readonly metadata: Metadata;
  readonly payload: string;
  readonly mark: string;
  readonly search: string;
  readonly terms: ReadonlySet<string>;
  readonly isUpdate: boolean;
  readonly offset: number;
}

/** A statement that goes. */
export interface Gone {
  readonly stored: StoredStatement;
  readonly document: string;
  readonly offset: number;
}

/** What has to happen so that documents say something else. */
export interface Difference {
  readonly puts: readonly Put[];
  readonly gone: readonly Gone[];
  readonly count: ChangeCount;
  /** How many components each of the documents describes afterwards, by URL. */
  readonly components: ReadonlyMap<string, number>;
}

export interface DifferenceParts {
  readonly session: Session;
  /** As they are stored, by URL. */
  readonly documents: ReadonlyMap<string, StoredDocument>;
  /** Takes in what the change does to the hashes of the source. */
  readonly hashes: HashChange;
  readonly breathe: Breather;
}

/**
 * Compares what documents say with what they shall say; no document may be named twice.
 * @throws TypeError for a change of `of` without what the document says
 */
export async function differenceOf(
  changes: readonly DocumentChange[],
  parts: DifferenceParts,
): Promise<Difference> {
  const { documents } = parts;
  const comparing = new Comparing(parts);
  const [said, differing] = [await statementsOf(changes, parts), await differingOf(changes, parts)];
  for (const change of changes) {
    const { url, record } = change;
    const differs = differing.get(documents.get(url)?.id ?? 0);
    if (differs) {
      const { coming: components, stored } = differs;
      await comparing.compare({ url, record: record ?? {}, components }, byUri(stored));
    } else await comparing.compare(change, said.get(url) ?? new Map());
  }
  return comparing;
}

type Said = ReadonlyMap<string, StoredStatement>;

/** What the documents say now, by URL and by uri, as far as the changes touch it and it is not compared by the database. */
async function statementsOf(
  changes: readonly DocumentChange[],
  { session, documents }: DifferenceParts,
): Promise<Map<string, Said>> {
  const said = new Map<string, Map<string, StoredStatement>>();
  const whole = new Map<number, string>();
  for (const change of changes) {
    const stored = documents.get(change.url);
    if (!stored || stored.components === 0 || isCompared(change, stored)) continue;
    if (isWhole(change, stored.record)) whole.set(stored.id, change.url);
    else if (change.amend) {
      const { put = [], remove = [] } = change.amend;
      const uris = [...put.map(({ uri }) => uri), ...remove].map(orderKey);
      const names = uris.map((uri) => ({ uri, document: stored.id }));
      said.set(change.url, byUri(await readNamed(session, names)));
    }
  }
  const statements = await readByDocument(session, [...whole.keys()]);
  for (const [id, all] of grouped(statements, ({ document }) => document))
    said.set(whole.get(id) ?? '', byUri(all));
  return said;
}

/** Of documents that are given as a whole, and of which most is likely to be as it was: what is not. By their ids. */
async function differingOf(
  changes: readonly DocumentChange[],
  { session, documents, breathe }: DifferenceParts,
): Promise<Map<number, Differing>> {
  const wanted = new Map<number, Iterable<Metadata>>();
  for (const change of changes) {
    const stored = documents.get(change.url);
    if (stored && isCompared(change, stored)) wanted.set(stored.id, firstOfEach(change.components).values());
  }
  return readDiffering(session, wanted, breathe);
}

type WholeChange = Extract<DocumentChange, { readonly components: readonly Metadata[] }>;

/** Is it enough to know what differs? Not where everything gets another place or another group. */
function isCompared(change: DocumentChange, stored: StoredDocument): change is WholeChange {
  const { components, record } = change;
  if (!components || stored.components === 0) return false;
  return !hasMoved(record, stored.record) && !isRegrouped(record, stored.record);
}

function byUri(statements: readonly StoredStatement[]): Map<string, StoredStatement> {
  return new Map(statements.map((statement) => [statement.uri, statement]));
}

class Comparing implements Difference {
  readonly puts: Put[] = [];
  readonly gone: Gone[] = [];
  readonly components = new Map<string, number>();
  readonly count = new StepCount();
  readonly #parts: DifferenceParts;
  #offset = 0;

  constructor(parts: DifferenceParts) {
    this.#parts = parts;
  }

  async compare(change: DocumentChange, said: Said): Promise<void> {
    const { documents, hashes, breathe } = this.#parts;
    const { url } = change;
    const stored = documents.get(url);
    const before = documentBefore(stored, said);
    const { added, removed } = this.count;
    for (const step of documentSteps(change, before)) {
      await breathe();
      hashStep(step, change, before, hashes);
      this.count.count(step, before);
      if (step.kind === 'removed') {
        this.gone.push({ stored: step.before, document: url, offset: this.#next() });
      } else if (step.kind !== 'kept') {
        const { after: metadata } = step;
        this.puts.push({
          uri: orderKey(metadata.uri),
          document: url,
          metadata,
          payload: payloadOf(metadata),
          mark: payloadMark(metadata),
          search: searchText(metadata),
          terms: termsOf(metadata),
          isUpdate: step.kind !== 'added',
          offset: this.#next(),
        });
      }
    }
    const more = this.count.added - added - (this.count.removed - removed);
    this.components.set(url, (stored?.components ?? 0) + more);
  }

  #next(): number {
    this.#offset += 1;
    return this.#offset;
  }
}

/** `said`: as far as the change touches it. */
function documentBefore(stored: StoredDocument | undefined, said: Said): DocumentBefore<StoredStatement> {
  return {
    record: stored?.record ?? {},
    size: stored?.components ?? 0,
    find: (uri) => said.get(orderKey(uri)),
    all: () => said.values(),
    metadataOf: ({ payload }) => metadataOf(payload),
    says: ({ payload }, after) => payload === payloadOf(after),
  };
}

/** By uri: of several descriptions of one component, the first one counts. */
function firstOfEach(components: readonly Metadata[]): Map<string, Metadata> {
  const first = new Map<string, Metadata>();
  for (const one of components) if (!first.has(one.uri)) first.set(one.uri, one);
  return first;
}
