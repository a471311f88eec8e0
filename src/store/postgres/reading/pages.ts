import type { Query } from '../../../component/query.js';
import { StoreUnavailable } from '../../../lib/faults.js';
import type { Description } from '../../../registry/description.js';
import type { Page, PageRequest } from '../../../registry/page.js';
import type { State } from '../../../registry/state.js';
import type { Database } from '../connection/database.js';
import type { Session } from '../connection/session.js';
import type { Snapshot } from '../connection/snapshot.js';
import { orderKeyFrom } from '../order-key.js';
import { metadataOf } from '../payload.js';
import type { PublishedState } from '../published-state.js';
import type { Head } from '../writing/head.js';
import { isSameState } from '../writing/history.js';
import type { LatestReads } from './latest-reads.js';
import { endOfPart, type Part, type ReadPart, readPart } from './listing.js';
import { type Component, descriptionsOf } from './rows.js';
import { needsLookup, saidIn, selectionOf } from './selection.js';
import type { Selection } from './selection-builder.js';

/** Components of a page that are read at once; what is longer is read as it is sent. */
const AT_ONCE = 1_000;
/** Bytes of what is served of a page that is read at once. */
const BYTES_AT_ONCE = 8_000_000;
/** What is read at a time of a long page: components, and bytes of what is served. */
const BATCH = { most: 1_000, bytes: 500_000 } as const;

export interface PagesParts {
  readonly database: Database;
  readonly published: PublishedState;
  readonly reads: LatestReads;
  readonly areWordsIndexed: boolean;
}

interface Found {
  readonly state: State;
  readonly part: ReadPart;
}

/** Reads pages: short ones in one statement, long ones from a snapshot that lasts as long as they are read. */
export class Pages {
  readonly #parts: PagesParts;

  constructor(parts: PagesParts) {
    this.#parts = parts;
  }

  async page(query: Query, { limit, after, shadowed = false, document }: PageRequest): Promise<Page> {
    const from = after === undefined ? undefined : orderKeyFrom(after);
    const wanted = { query, after: from, shadowed, document };
    if (limit !== undefined && limit <= AT_ONCE) return this.#short(wanted, limit);
    if (this.#isLongListing({ ...query, after, document })) return this.#long(wanted, limit);
    const { state, part } = await this.#read({ ...wanted, most: AT_ONCE + 1 });
    const isWhole = part.components.length <= AT_ONCE && !part.isCut;
    return isWhole || part.lookedThrough ? shortPage(state, part, AT_ONCE) : this.#long(wanted, limit);
  }

  /** Is it everything, and more than is read at once, as far as is known? A first part would be read for nothing then. */
  #isLongListing(constraints: object): boolean {
    const isAll = Object.values(constraints).every((value) => value === undefined);
    return isAll && this.#parts.published.current.state.components > AT_ONCE;
  }

  async #short(wanted: Wanted, limit: number): Promise<Page> {
    const { state, part } = await this.#read({ ...wanted, most: limit + 1 });
    if (part.isCut && !part.lookedThrough) return this.#long(wanted, limit);
    return shortPage(state, part, limit);
  }

  /** A part with the state that it belongs to. */
  async #read(wanted: Wanted & { readonly most: number }): Promise<Found> {
    const { published, reads } = this.#parts;
    if (needsLookup(wanted.query)) {
      return reads.whole(async (session, { head, state }) => ({
        state,
        part: await this.#partOf(session, wanted, head),
      }));
    }
    const { state, found } = await reads.stamped((session) =>
      this.#partOf(session, wanted, published.current.head),
    );
    return { state, part: found };
  }

  async #partOf(
    session: Session,
    wanted: Wanted & { readonly most: number },
    { version, mark }: Head,
  ): Promise<ReadPart> {
    const selection = await this.#selection(session, wanted);
    if (!selection) return { version, mark, components: [], isCut: false };
    return readPart(session, { ...wanted, selection, bytes: BYTES_AT_ONCE });
  }

  async #selection(session: Session, { query, document }: Wanted): Promise<Selection | undefined> {
    return document ? saidIn(document) : selectionOf(session, query, this.#parts.areWordsIndexed);
  }

  async #long(wanted: Wanted, limit: number | undefined): Promise<Page> {
    const { database, published } = this.#parts;
    const snapshot = await database.snapshot();
    try {
      const { head, state } = await published.refresh(snapshot);
      const selection = await this.#selection(snapshot, wanted);
      if (!selection) throw new Error('What was selected before is not selected any more');
      const part = { ...wanted, selection };
      const end = limit === undefined ? undefined : await endOfPart(snapshot, { ...part, most: limit });
      const long = { ...this.#parts, head, part, last: end?.last, snapshot };
      const next = end && metadataOf(end.next).uri;
      return { state, next, descriptions: () => longDescriptions(long) };
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }
}

/** A page that has been read; the next one begins behind it, or behind what was looked through for it. */
function shortPage(state: State, { components, isCut, lookedThrough }: ReadPart, limit: number): Page {
  const shown = components.slice(0, limit);
  const isMore = components.length > limit || isCut;
  const [last] = isMore ? (shown.at(-1)?.rows ?? []) : [];
  const next = last ? metadataOf(last.payload).uri : lookedThrough?.until;
  const page = { state, descriptions: () => descriptionsOf(shown) };
  return next === undefined ? page : { ...page, next };
}

interface Wanted {
  readonly query: Query;
  readonly after: string | undefined;
  readonly shadowed: boolean;
  readonly document: PageRequest['document'];
}

interface LongPage extends PagesParts {
  readonly head: Head;
  readonly part: Omit<Part, 'most' | 'bytes'>;
  /** `orderKey` of the last one, where the page ends before the listing does. */
  readonly last: string | undefined;
  /** Begun with the page; closed when it has been read once, or has not been read for a while. */
  readonly snapshot: Snapshot;
}

async function* longDescriptions(page: LongPage): AsyncGenerator<readonly Description[]> {
  let { snapshot } = page;
  let { after } = page.part;
  try {
    for (;;) {
      if (!snapshot.isOpen) snapshot = await sameState(page);
      const read = await readPart(snapshot, { ...page.part, ...BATCH, after });
      const { components, isCut } = read;
      const shown = page.last === undefined ? components : upTo(components, page.last);
      yield* descriptionsOf(shown);
      after = shown.at(-1)?.key;
      const isEnd = components.length < BATCH.most && !isCut;
      if (isEnd || after === page.last) return;
    }
  } finally {
    await snapshot.close();
  }
}

function upTo(components: readonly Component[], last: string): readonly Component[] {
  const end = components.findIndex(({ key }) => key === last);
  return end < 0 ? components : components.slice(0, end + 1);
}

/** For who reads slowly, or once more: another snapshot, if nothing has changed. @throws StoreUnavailable */
async function sameState({ database, published, head }: LongPage): Promise<Snapshot> {
  const snapshot = await database.snapshot();
  const now = await published.refresh(snapshot);
  if (isSameState(now.head, head)) return snapshot;
  await snapshot.close();
  throw new StoreUnavailable('The listing has changed while it was read slowly; read it again');
}
