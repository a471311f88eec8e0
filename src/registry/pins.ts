import type { Entry } from '../catalog/entry.js';
import { isChanged, type PinSubject, pinKey, samePin } from '../component/pin.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../core/pins.js';
import { HashChange } from '../core/source-digests.js';
import type { Step } from './difference.js';
import type { HeldSource } from './held.js';
import type { PinRequest } from './held-pins.js';
import {
  type PreparedCommit,
  preparedCommit,
  type RegistryParts,
  type SourceAfter,
} from './prepared-commit.js';
import { pinRowKey } from './row-keys.js';
import type { Writer } from './writer.js';

/** Forgets what has been seen of a component's module, of all versions or of one. @returns how many pins that were */
export async function forgetPins(pins: Pins, uri: string, version?: string): Promise<number> {
  const all = await pins.list({ uri });
  const meant = all.filter((pin) => version === undefined || pin.version === version);
  await pins.change(meant, () => undefined);
  return meant.length;
}

export type Pins = ReturnType<typeof createPins>;

/**
 * What the node has seen of modules itself, by uri and version. What readers are told of it (`Description.pin`) is the pin of
 * each statement (`pinOf`), in every answer of the catalog that is asked for after `change` has resolved.
 */
export function createPins({ writer, ...parts }: RegistryParts & { readonly writer: Writer }) {
  const pins = () => parts.data.now.held.pins;
  return {
    /**
     * Decides again what is remembered of some modules: durably, of all or none. `decide` is called while nobody else changes pins
     * or statements, and once more where that has to be tried again. The revision moves if answers show something else then. A
     * served statement whose pin becomes `changed`, or is no longer, gets a new position, so that those who follow the feed hear
     * of it; since when it is said stays what it was. Other pins move no position. All of it is one commit.
     */
    change: <T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void> =>
      writer.write(() => preparedPins(subjects, decide, parts)),

    /** The pins of these subjects, each at its index; undefined where there is none. */
    get: async (subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> =>
      subjects.map((subject) => pins().get(subject)),

    list: async (request: PinRequest): Promise<readonly StoredPin[]> => pins().list(request),

    /** How many there are, and how many of them had changed at the last look. */
    counts: async () => pins().counts,
  };
}

async function preparedPins<T extends PinSubject>(
  subjects: readonly T[],
  decide: PinDecision<T>,
  parts: RegistryParts,
): Promise<PreparedCommit | undefined> {
  const { catalog } = parts.data;
  const { held } = parts.data.now;
  /** What is said of this version of the component. */
  const describing = (subject: PinSubject) =>
    catalog.entriesOf(subject.uri).filter((entry) => pinKey(entry) === pinKey(subject));
  const decided = decidedPins(subjects, decide, (subject) => held.pins.get(subject));
  if (decided.size === 0) return undefined;
  const pins = new Map<string, StoredPin | undefined>();
  const sources = new Map<HeldSource, SourceAfter>();
  const steps: Step[] = [];
  let isShown = false;
  for (const { subject, pin } of decided.values()) {
    pins.set(pinRowKey(subject), pin);
    const [served] = catalog.entriesOf(subject.uri);
    for (const entry of describing(subject)) {
      const after = pinOf(pin, entry);
      isShown ||= !samePin(entry.pin, after);
      const source = held.source(entry.origin.source);
      if (entry !== served || !source || isChanged(entry.pin) === isChanged(after)) continue;
      sources.set(source, {
        ...{ held: source, record: source.record },
        hashes: new HashChange(source.hashes),
      });
      steps.push(told(entry, source));
    }
  }
  const prepared = await preparedCommit(steps, [...sources.values()], parts);
  const { positions = isShown ? 0 : undefined } = prepared;
  return { ...prepared, contents: { ...prepared.contents, pins }, positions };
}

/** The served statement gets another position, so that those who follow the feed hear of it. */
function told(before: Entry, { source, documents }: HeldSource): Step {
  const { uri, metadata, origin } = before;
  const of = documents.get(origin.document)?.record.of ?? '';
  const place = { source, document: origin.document, uri, of: { before: of, after: of } };
  return { ...place, kind: 'told', before, after: metadata };
}
