import { type PinSubject, pinKey, samePin } from '../component/pin.js';
import { REMOVALS_REMEMBERED } from '../core/feed-window.js';
import { isFeedNews, pinOf, type StoredPin } from '../core/pins.js';
import { compareText } from '../lib/compare-text.js';
import { MOST_AT_ONCE } from './difference.js';
import type { Draft } from './draft.js';
import type { HeldSource } from './held.js';
import type { RegistryData } from './registry-data.js';
import { pinRowKey } from './row-keys.js';
import { rowOf } from './rows.js';
import type { WritingParts } from './writer.js';

/** Pins of modules that nobody describes: of more, those go first that have been so for longest. */
const MOST_UNUSED = 50_000;

type PinDecision<T extends PinSubject> = (subject: T, known: StoredPin | undefined) => StoredPin | undefined;

/** Which pins are wanted: all of them, where nothing is named. */
interface PinRequest {
  readonly uri?: string | undefined;
  /** Only those that had changed at the last look. */
  readonly changed?: boolean | undefined;
  readonly limit?: number | undefined;
}

/** Forgets what has been seen of a component's module, of all versions or of one. @returns how many pins that were */
export async function forgetPins(pins: Pins, uri: string, version?: string): Promise<number> {
  const all = await pins.list({ uri });
  const meant = all.filter((pin) => version === undefined || pin.version === version);
  await pins.change(meant, () => undefined);
  return meant.length;
}

export type Pins = ReturnType<typeof createPins>;

/** What the node has seen of modules itself, by uri and version. Readers are told the pin of each statement (`pinOf`). */
export function createPins({ writer, data, clock, pace }: WritingParts) {
  const pins = () => data.now.pins;
  const list = async ({ uri, changed = false, limit }: PinRequest): Promise<readonly StoredPin[]> => {
    const isAsked = (pin: StoredPin) =>
      (uri === undefined || pin.uri === uri) && (!changed || pin.changedAt !== undefined);
    const asked = [...pins().values()].filter(isAsked);
    return asked.sort((one, other) => compareText(pinKey(one), pinKey(other))).slice(0, limit);
  };
  /**
   * Decides again what is remembered of some modules, of all or none. Each must be named once: a second decision
   * would not know of the first. `decide` is called while nobody else changes pins or statements, and once more
   * where that has to be tried again.
   */
  const change = <T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<unknown> =>
    writer.write((draft) => draftPins(draft, subjects, decide, data));
  return {
    change,
    list,

    /** Notes which modules nobody describes any more, and forgets what was seen of those where that has been so for long. */
    async forgetUnused(): Promise<void> {
      const [breathe, now] = [pace(), clock.now()];
      const isDescribed = (pin: StoredPin) =>
        data.catalog.entriesOf(pin.uri).some((entry) => pinKey(entry) === pinKey(pin));
      const sinceOf = ({ unusedSince = now }: StoredPin) => unusedSince;
      const [due, unused]: [StoredPin[], StoredPin[]] = [[], []];
      for (const pin of pins().values()) {
        const isUsed = isDescribed(pin);
        if (isUsed !== (pin.unusedSince === undefined)) due.push(pin);
        else if (!isUsed) unused.push(pin);
        await breathe();
      }
      unused.sort((one, other) => sinceOf(one) - sinceOf(other));
      const isOver = (pin: StoredPin, i: number) =>
        i < unused.length - MOST_UNUSED || now - sinceOf(pin) > REMOVALS_REMEMBERED;
      const gone = new Set(unused.filter(isOver));
      for (const pin of gone) due.push(pin);
      for (let at = 0; at < due.length; at += MOST_AT_ONCE)
        await change(due.slice(at, at + MOST_AT_ONCE), (_, pin) => {
          const isUsed = pin && isDescribed(pin);
          if (!pin || (gone.has(pin) && !isUsed)) return undefined;
          return { ...pin, unusedSince: isUsed ? undefined : sinceOf(pin) };
        });
    },

    get: async (subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> =>
      subjects.map((subject) => pins().get(pinRowKey(subject))),

    counts: async () => ({ all: pins().size, changed: (await list({ changed: true })).length }),
  };
}

/**
 * A served statement whose pin becomes `changed`, or is no longer, gets a new position, so that those who follow the feed hear of
 * it; since when it is said stays what it was. Other pins move no position.
 */
function draftPins<T extends PinSubject>(
  draft: Draft,
  subjects: readonly T[],
  decide: PinDecision<T>,
  { catalog, now: { held, pins } }: RegistryData,
): void {
  const sources = new Set<HeldSource>();
  for (const subject of subjects) {
    const known = pins.get(pinRowKey(subject));
    const pin = decide(subject, known);
    if (pin === known) continue;
    draft.rows.push(rowOf('pin', pinRowKey(subject), pin));
    for (const [place, entry] of catalog.entriesOf(subject.uri).entries()) {
      if (pinKey(entry) !== pinKey(subject)) continue;
      const after = pinOf(pin, entry);
      if (!samePin(entry.pin, after)) draft.positions ??= 0;
      const { source, document } = entry.origin;
      const one = held.source(source);
      // Only what is served is told.
      if (place > 0 || !one || !isFeedNews(entry.pin, after)) continue;
      draft.place({ source, document, uri: entry.uri, kind: 'pinned', before: entry, after: entry.metadata });
      sources.add(one);
    }
  }
  for (const one of sources) draft.source(one, one.record);
}
