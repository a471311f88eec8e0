import { compareUri, type Metadata } from '../component/metadata.js';
import type { Precedence } from '../component/precedence.js';
import type { Breather } from '../lib/slices.js';
import { sortedBy } from '../lib/sort.js';
import { setApart } from './block-writer.js';
import type { Entry } from './entry.js';
import type { Arrival, Listing } from './listing.js';
import type { Losers } from './losers.js';
import { type Ordered, POSTED_FIELDS, type PostedField, type Postings, ValueChanges } from './postings.js';

/** An entry that is to come, with what it says. */
export interface Draft {
  readonly metadata: Metadata;
  readonly entry: Entry;
}

/** What the catalog will hold. */
export interface CatalogChange {
  readonly listing: Listing;
  readonly losers: Losers;
  /** By field and value; those that change. */
  readonly lists: Readonly<Record<PostedField, ReadonlyMap<string, Ordered>>>;
  /** Entries that are served no more, but still stand. */
  readonly demoted: readonly Entry[];
}

interface State {
  readonly listing: Listing;
  readonly losers: Losers;
  readonly postings: Postings;
}

/** Works out the catalog without some statements and with others, giving way to other work. */
export async function changeOf(
  state: State,
  gone: Iterable<Entry>,
  come: Iterable<Draft>,
  precedence: Precedence,
  breathe: Breather,
): Promise<CatalogChange> {
  const contests = await contestsOf(gone, come, breathe);
  const outcome = new Outcome(state, precedence);
  for (const contest of contests) {
    outcome.decide(contest);
    await breathe();
  }
  const listing = await state.listing.changed(outcome.gone, outcome.come, breathe);
  const prepared = (field: PostedField) => state.postings[field].prepare(outcome.values[field], breathe);
  return {
    listing,
    losers: state.losers.changed(outcome.losers),
    lists: { shapes: await prepared('shapes'), tag: await prepared('tag'), author: await prepared('author') },
    demoted: outcome.demoted,
  };
}

/** What happens to the statements about one component. */
interface Contest {
  readonly uri: string;
  readonly gone: Entry[];
  readonly come: Draft[];
}

/** One contest per component that is touched, in the order of uris. */
async function contestsOf(
  gone: Iterable<Entry>,
  come: Iterable<Draft>,
  breathe: Breather,
): Promise<Contest[]> {
  const byUri = new Map<string, Contest>();
  const contestOf = (uri: string): Contest => {
    const contest = byUri.get(uri) ?? { uri, gone: [], come: [] };
    byUri.set(uri, contest);
    return contest;
  };
  for (const entry of gone) {
    contestOf(entry.uri).gone.push(entry);
    await breathe();
  }
  for (const draft of come) contestOf(draft.metadata.uri).come.push(draft);
  return sortedBy([...byUri.values()], ({ uri }) => uri, breathe);
}

/** Gathers, contest by contest, what has to change in listing, losers and posting lists. */
class Outcome {
  readonly gone = new Set<Entry>();
  readonly come: Arrival[] = [];
  readonly losers = new Map<string, Ordered>();
  readonly demoted: Entry[] = [];
  readonly values = { shapes: new ValueChanges(), tag: new ValueChanges(), author: new ValueChanges() };
  readonly #state: State;
  readonly #compare: (one: Entry, other: Entry) => number;

  constructor(state: State, precedence: Precedence) {
    this.#state = state;
    this.#compare = comparing(precedence);
  }

  decide({ uri, gone, come }: Contest): void {
    const { listing, losers } = this.#state;
    const [winnerBefore, losersBefore] = [listing.get(uri), losers.of(uri)];
    const stays = (entry: Entry) => !gone.includes(entry);
    const before = winnerBefore ? [winnerBefore, ...losersBefore] : losersBefore;
    const after = [...before.filter(stays), ...come.map(({ entry }) => entry)];
    if (after.length > 1) after.sort(this.#compare);
    const [winner, ...losersAfter] = after;
    if (losersBefore.length + losersAfter.length > 0) this.losers.set(uri, losersAfter);
    if (winnerBefore && losersAfter.includes(winnerBefore)) this.demoted.push(winnerBefore);
    for (const { entry } of come) if (entry !== winner) setApart(entry);
    if (winner === winnerBefore) return;
    if (winnerBefore) this.#dethrone(winnerBefore);
    if (winner) this.#enthrone(uri, winner, come.find(({ entry }) => entry === winner)?.metadata);
  }

  #dethrone(entry: Entry): void {
    this.gone.add(entry);
    const { metadata } = entry;
    for (const field of POSTED_FIELDS) this.values[field].remove(metadata[field], entry);
  }

  #enthrone(uri: string, entry: Entry, metadata = entry.metadata): void {
    this.come.push({ uri, entry });
    const ranked = { entry, rank: this.#state.listing.rankBefore(uri) };
    for (const field of POSTED_FIELDS) this.values[field].add(metadata[field], ranked);
  }
}

/** What has an origin: an entry, a document. */
type Attributed = Pick<Entry, 'origin'>;

/** Orders descriptions of one component: who is served, and who comes next. */
export function comparing(precedence: Precedence): (one: Attributed, other: Attributed) => number {
  return ({ origin: one }, { origin: other }) =>
    precedence.compare(one.source, other.source) ||
    (one.rank ?? 0) - (other.rank ?? 0) ||
    compareUri(one.document, other.document);
}
