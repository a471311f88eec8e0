import type { Naming } from '../../../component/naming.js';
import { listingText } from '../../../component/writing/listing-text.js';
import { compareStandings, type Standing } from '../../../core/precedence.js';
import type { Pace } from '../../../lib/pace.js';
import { CatalogIndex } from '../catalog/catalog-index.js';
import { addTo } from '../disk-source.js';
import { BlockBuilder } from '../listing/block-builder.js';
import type { BlockSpace } from '../listing/block-space.js';
import { blockAlone } from '../listing/block-writer.js';
import type { Entry, Stamp } from '../listing/entry.js';
import { Listing } from '../listing/listing.js';
import { attributed } from '../listing/origin.js';
import { ShadowedStatements } from '../listing/shadowed.js';
import { StatementReader, type StatementReaderParts, type StoredStatement } from './statement-reader.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

export interface CatalogParts extends StatementReaderParts {
  readonly pace: Pace;
  /** Where the listing is kept. */
  readonly space: BlockSpace;
  /** Told how many have been read. */
  readonly onStatements?: (read: number) => void;
}

/** Makes the catalog of everything that is stored, in the order of uris, which is that of the rows. @throws DamagedData */
export async function loadCatalog({
  pace,
  onStatements,
  space,
  ...parts
}: CatalogParts): Promise<{ index: CatalogIndex; statements: number }> {
  const reader = new StatementReader(parts);
  const loader = new CatalogLoader(parts, reader, space);
  const breathe = pace(SLICE_MS);
  let statements = 0;
  for await (const rows of parts.store.texts('statement')) {
    for await (const read of reader.read(rows)) {
      for (const statement of read) loader.add(statement);
      statements += read.length;
      await breathe();
    }
    onStatements?.(statements);
  }
  await reader.close();
  return { index: await loader.end(pace), statements };
}

function standingOf({ document }: StoredStatement): Standing {
  return document.origin.standing;
}

/** Puts the catalog together, component by component. */
class CatalogLoader {
  readonly #index: CatalogIndex;
  readonly #parts: Pick<StatementReaderParts, 'versions'> & { readonly naming: Naming };
  readonly #reader: StatementReader;
  readonly #builder: BlockBuilder;
  readonly #space: BlockSpace;
  readonly #shadowed: Entry[] = [];
  /** LevelDB orders by UTF-8, the listing by UTF-16: a few uris with rare characters come too late. */
  readonly #late: Entry[] = [];
  readonly #stamps = new Map<number, Stamp>();
  #stamp: Stamp = { at: 0, isUpdate: false };
  #lastUri = '';
  #current: { uri: string; said: StoredStatement[] } = { uri: '', said: [] };

  constructor(
    parts: Pick<StatementReaderParts, 'versions'> & { readonly naming: Naming },
    reader: StatementReader,
    space: BlockSpace,
  ) {
    space.begin();
    this.#space = space;
    this.#index = new CatalogIndex(space);
    this.#builder = new BlockBuilder(space);
    this.#parts = parts;
    this.#reader = reader;
  }

  add(statement: StoredStatement): void {
    const { uri } = statement.metadata;
    if (uri !== this.#current.uri) {
      this.#take();
      this.#current = { uri, said: [] };
    }
    this.#current.said.push(statement);
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
    for (const one of shadowed) {
      const entry = this.#apart(one);
      entry.moveTo(blockAlone(entry, this.#space), 1);
      this.#shadowed.push(entry);
    }
  }

  #serve(said: StoredStatement): void {
    const { document, metadata, place } = said;
    const { naming, versions } = this.#parts;
    const { version, latest } = metadata;
    const { text: object, plain } = listingText(metadata, naming);
    const known = { plain, version: versions.share(version), latest, pin: this.#reader.pinOf(said) };
    const { text, facts } = attributed(object, known, document.origin, place.since ?? place.at);
    const entry = this.#builder.append(document.origin, text, facts);
    this.#hold(said, entry);
    this.#index.post(entry, metadata);
  }

  #apart(said: StoredStatement): Entry {
    const entry = this.#reader.entry(said);
    this.#hold(said, entry);
    return entry;
  }

  #hold({ document, place: { position, ...stamp } }: StoredStatement, entry: Entry): void {
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
