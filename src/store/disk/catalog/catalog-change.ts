import { indexedValues } from '../../../component/canonical-shape.js';
import type { Metadata } from '../../../component/metadata.js';
import { compareStandings } from '../../../core/precedence.js';
import type { Breather } from '../../../lib/pace.js';
import { sortedBy } from '../../../lib/sort.js';
import type { BlockSpace } from '../listing/block-space.js';
import { blockAlone } from '../listing/block-writer.js';
import type { Block, Entry, Ordered } from '../listing/entry.js';
import type { Arrival, Listing } from '../listing/listing.js';
import type { ShadowedStatements } from '../listing/shadowed.js';
import { POSTED_FIELDS, type PostedField, type Postings, ValueChanges } from './postings.js';

/** An entry that is to come, with what it says. */
export interface Draft {
  readonly metadata: Metadata;
  readonly entry: Entry;
}

/** What the catalog will hold. */
export interface CatalogChange {
  readonly listing: Listing;
  readonly shadowed: ShadowedStatements;
  /** By field and value; those that change. */
  readonly lists: Readonly<Record<PostedField, ReadonlyMap<string, Ordered>>>;
  /** Entries that are shadowed from now on, and where they lie then. */
  readonly withdrawn: readonly { readonly entry: Entry; readonly block: Block }[];
  /** Where entries lay that are shadowed no longer. */
  readonly left: readonly Block[];
}

interface CatalogState {
  readonly listing: Listing;
  readonly shadowed: ShadowedStatements;
  readonly postings: Postings;
  readonly space: BlockSpace;
}

/** Works out the catalog without some entries and with others, giving way to other work. @throws StorageFailure */
export async function changeOf(
  state: CatalogState,
  gone: Iterable<Entry>,
  come: Iterable<Draft>,
  breathe: Breather,
): Promise<CatalogChange> {
  const components = await changedComponents(gone, come, breathe);
  const outcome = new Outcome(state);
  for (const component of components) {
    outcome.decide(component);
    await breathe();
  }
  const listing = await state.listing.changed(outcome.gone, outcome.come, state.space, breathe);
  const prepared = (field: PostedField) => state.postings[field].prepare(outcome.values[field], breathe);
  return {
    listing,
    shadowed: state.shadowed.changed(outcome.shadowed),
    lists: { shapes: await prepared('shapes'), tag: await prepared('tag'), author: await prepared('author') },
    withdrawn: outcome.withdrawn,
    left: outcome.left,
  };
}

/** What happens to the descriptions of one component. */
interface ChangedComponent {
  readonly uri: string;
  readonly gone: Entry[];
  readonly come: Draft[];
}

/** The components that are touched, in the order of uris. */
async function changedComponents(
  gone: Iterable<Entry>,
  come: Iterable<Draft>,
  breathe: Breather,
): Promise<ChangedComponent[]> {
  const byUri = new Map<string, ChangedComponent>();
  const componentOf = (uri: string): ChangedComponent => {
    const known = byUri.get(uri);
    if (known) return known;
    const component = { uri, gone: [], come: [] };
    byUri.set(uri, component);
    return component;
  };
  for (const entry of gone) {
    componentOf(entry.uri).gone.push(entry);
    await breathe();
  }
  for (const draft of come) {
    componentOf(draft.metadata.uri).come.push(draft);
    await breathe();
  }
  return sortedBy([...byUri.values()], ({ uri }) => uri, breathe);
}

/** Gathers, component by component, what has to change in listing, shadowed descriptions and posting lists. */
class Outcome {
  readonly gone = new Set<Entry>();
  readonly come: Arrival[] = [];
  readonly shadowed = new Map<string, Ordered>();
  readonly withdrawn: CatalogChange['withdrawn'][number][] = [];
  readonly left: Block[] = [];
  readonly values = { shapes: new ValueChanges(), tag: new ValueChanges(), author: new ValueChanges() };
  readonly #state: CatalogState;

  constructor(state: CatalogState) {
    this.#state = state;
  }

  decide({ uri, gone, come }: ChangedComponent): void {
    const { listing, shadowed, space } = this.#state;
    const [servedBefore, shadowedBefore] = [listing.get(uri), shadowed.of(uri)];
    const [only] = come;
    if (!servedBefore && only && come.length === 1 && shadowedBefore.length === 0) {
      this.#serve(uri, only.entry, only.metadata);
      return;
    }
    const stays = (entry: Entry) => !gone.includes(entry);
    const before = servedBefore ? [servedBefore, ...shadowedBefore] : shadowedBefore;
    const after = [...before.filter(stays), ...come.map(({ entry }) => entry)];
    if (after.length > 1)
      after.sort((one, other) => compareStandings(one.origin.standing, other.origin.standing));
    const [served, ...shadowedAfter] = after;
    if (shadowedBefore.length + shadowedAfter.length > 0) this.shadowed.set(uri, shadowedAfter);
    for (const entry of shadowedBefore) if (!shadowedAfter.includes(entry)) this.left.push(entry.block);
    if (servedBefore && shadowedAfter.includes(servedBefore))
      this.withdrawn.push({ entry: servedBefore, block: blockAlone(servedBefore, space) });
    for (const { entry } of come) if (entry !== served) entry.moveTo(blockAlone(entry, space), 1);
    if (served === servedBefore) return;
    if (servedBefore) this.#withdraw(servedBefore);
    if (served) this.#serve(uri, served, come.find(({ entry }) => entry === served)?.metadata);
  }

  #withdraw(entry: Entry): void {
    this.gone.add(entry);
    const { metadata } = entry;
    for (const field of POSTED_FIELDS) this.values[field].remove(indexedValues(metadata, field), entry);
  }

  #serve(uri: string, entry: Entry, metadata = entry.metadata): void {
    this.come.push({ uri, entry });
    const placed = { entry, position: this.#state.listing.positionBefore(uri) };
    for (const field of POSTED_FIELDS) this.values[field].add(indexedValues(metadata, field), placed);
  }
}
