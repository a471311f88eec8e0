import type { Pin } from '../../../component/pin.js';
import { readPlain } from '../../../component/writing/listing-text.js';
import { compareStandings, type Standing } from '../../../core/precedence.js';
import type { Pace } from '../../../lib/pace.js';
import { CatalogIndex } from '../catalog/catalog-index.js';
import type { QuadStore } from '../database/quad-store.js';
import {
  quadsOfRow,
  readStatementKey,
  readStatementRow,
  type StatementRow,
} from '../database/statement-row.js';
import { addTo, type DiskDocument } from '../disk-source.js';
import { BlockBuilder } from '../listing/block-builder.js';
import { type Entry, entryInOwnBlock, type Stamp } from '../listing/entry.js';
import { Listing } from '../listing/listing.js';
import { attributed } from '../listing/origin.js';
import { ShadowedStatements } from '../listing/shadowed.js';
import type { SharedTexts } from '../listing/shared-texts.js';
import type { PinTable } from '../pin-table.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

/** Reads the catalog from the rows of statements, which come in the order of their uris. */
export async function loadCatalog(
  store: QuadStore,
  documents: ReadonlyMap<number, DiskDocument>,
  pace: Pace,
  { versions, pins, onStatements }: LoadedWith,
): Promise<{ index: CatalogIndex; statements: number; quads: number }> {
  const loading = new CatalogLoader(versions);
  const breathe = pace(SLICE_MS);
  let quads = 0;
  let statements = 0;
  for await (const page of store.texts('statement')) {
    for (const [key, row] of page) {
      const { uri, graph } = readStatementKey(key);
      const document = documents.get(graph);
      if (!document) continue;
      quads += quadsOfRow(row);
      const said = readStatementRow(row);
      loading.add(uri, { document, row: said, pin: pinIn(pins, { uri, document, row: said }) });
      statements += 1;
    }
    onStatements?.(statements);
    await breathe();
  }
  return { index: await loading.end(pace), statements, quads };
}

interface LoadedWith {
  readonly versions: SharedTexts;
  readonly pins: PinTable;
  /** Told how many have been read. */
  readonly onStatements?: (read: number) => void;
}

interface Said {
  readonly document: DiskDocument;
  readonly row: StatementRow;
  readonly pin: Pin | undefined;
}

/** Most rows are not parsed for it: few modules have a pin, and fewer statements promise something. */
export function pinIn(
  pins: PinTable,
  { uri, document, row }: Omit<Said, 'pin'> & { readonly uri: string },
): Pin | undefined {
  const subject = { uri, version: row.version };
  if (!pins.get(subject)) return undefined;
  const promises = row.text.includes('"integrity":"');
  const metadata = promises ? readPlain(Buffer.from(row.text).toString('utf8', row.plain)) : {};
  return pins.of(subject, { ...document.origin.standing, metadata });
}

/** The entry of a row, in a block of its own and not stamped yet. */
export function entryApart({ document, row, pin }: Said, versions: SharedTexts): Entry {
  return entryInOwnBlock(document.origin, row.text, factsOf(row, pin, versions), sinceOf(row));
}

function factsOf({ plain, version, latest }: StatementRow, pin: Pin | undefined, versions: SharedTexts) {
  return { plain, version: versions.share(version), latest, pin };
}

function sinceOf({ place: { at, since = at } }: StatementRow): number {
  return since;
}

function standingOf({ document }: Said): Standing {
  return document.origin.standing;
}

/** Puts the catalog together, component by component. */
class CatalogLoader {
  readonly #index = new CatalogIndex();
  readonly #versions: SharedTexts;
  readonly #builder = new BlockBuilder();
  readonly #shadowed: Entry[] = [];
  /** LevelDB orders by UTF-8, the listing by UTF-16: a few uris with rare characters come too late. */
  readonly #late: Entry[] = [];
  readonly #stamps = new Map<number, Stamp>();
  #stamp: Stamp = { at: 0, isUpdate: false };
  #lastUri = '';
  #current: { uri: string; said: Said[] } = { uri: '', said: [] };

  constructor(versions: SharedTexts) {
    this.#versions = versions;
  }

  add(uri: string, said: Said): void {
    if (uri !== this.#current.uri) {
      this.#take();
      this.#current = { uri, said: [] };
    }
    this.#current.said.push(said);
  }

  async end(pace: Pace): Promise<CatalogIndex> {
    this.#take();
    this.#index.load(new Listing(this.#builder.end()), new ShadowedStatements(this.#shadowed));
    const late = this.#late.map((entry) => ({ entry, metadata: entry.metadata }));
    if (late.length > 0) this.#index.apply(await this.#index.prepare([], late, pace()));
    return this.#index;
  }

  #take(): void {
    const { uri, said } = this.#current;
    if (uri < this.#lastUri) {
      for (const one of said) this.#late.push(this.#apart(one));
      return;
    }
    this.#lastUri = uri;
    if (said.length > 1) said.sort((one, other) => compareStandings(standingOf(one), standingOf(other)));
    const [served, ...shadowed] = said;
    if (served) this.#serve(served);
    for (const one of shadowed) this.#shadowed.push(this.#apart(one));
  }

  #serve({ document, row, pin }: Said): void {
    const known = factsOf(row, pin, this.#versions);
    const { text, facts } = attributed(row.text, known, document.origin, sinceOf(row));
    const entry = this.#builder.append(document.origin, text, facts);
    this.#hold(document, entry, row);
    this.#index.post(entry, row.facets);
  }

  #apart(said: Said): Entry {
    const entry = entryApart(said, this.#versions);
    this.#hold(said.document, entry, said.row);
    return entry;
  }

  #hold(document: DiskDocument, entry: Entry, { place: { position, ...stamp } }: StatementRow): void {
    entry.stamp(position, stamp.since === undefined ? this.#stampOf(stamp) : stamp);
    addTo(document, entry);
  }

  /** Statements that came with one change share one object. */
  #stampOf({ at, isUpdate }: Stamp): Stamp {
    if (this.#stamp.at === at && this.#stamp.isUpdate === isUpdate) return this.#stamp;
    const key = isUpdate ? -at : at;
    this.#stamp = this.#stamps.get(key) ?? { at, isUpdate };
    this.#stamps.set(key, this.#stamp);
    return this.#stamp;
  }
}
