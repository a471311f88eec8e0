import type { Entry } from '../catalog/entry.js';
import { isChanged, type PinSubject, pinKey, samePin } from '../component/pin.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../core/pins.js';
import { HashChange } from '../core/source-digests.js';
import type { Step } from './difference.js';
import type { HeldSource } from './held.js';
import type { PinRequest } from './held-pins.js';
import { type PreparedCommit, preparedCommit, type RegistryParts, stateChange } from './prepared-commit.js';
import { pinRowKey } from './row-keys.js';
import { SourceAfter } from './source-after.js';
import type { Writer } from './writer.js';

/**
 * What the node has seen of modules itself, by uri and version. What readers are told of it (`Description.pin`) is the pin of
 * each statement (`pinOf`), in every answer of the catalog that is asked for after `change` has resolved.
 */
export interface Pins {
  /**
   * Decides again what is remembered of some modules: durably, of all or none. `decide` is called while nobody else changes pins
   * or statements, and once more where that has to be tried again. The revision moves if answers show something else then. A
   * served statement whose pin becomes `changed`, or is no longer, gets a new position, so that those who follow the feed hear
   * of it; since when it is said stays what it was. Other pins move no position.
   */
  change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void>;

  /** The pins of these subjects, each at its index; undefined where there is none. */
  get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]>;

  list(request: PinRequest): Promise<readonly StoredPin[]>;

  /** How many there are, and how many of them had changed at the last look. */
  counts(): Promise<{ readonly all: number; readonly changed: number }>;
}

/** Forgets what has been seen of a component's module, of all versions or of one. @returns how many pins that were */
export async function forgetPins(pins: Pins, uri: string, version?: string): Promise<number> {
  const behind = await pins.list({ after: uri, limit: Number.POSITIVE_INFINITY });
  const meant = behind.filter((pin) => pin.uri === uri && (version === undefined || pin.version === version));
  await pins.change(meant, () => undefined);
  return meant.length;
}

export interface PinsParts extends RegistryParts {
  readonly writer: Writer;
}

/** The pins, held in memory. A pin that changes and the position that tells of it are one commit. */
export function createPins({ writer, ...parts }: PinsParts): Pins {
  const pins = () => parts.data.held.pins;
  return {
    change: (subjects, decide) => writer.write(() => preparedPins(subjects, decide, parts)),
    get: async (subjects) => subjects.map((subject) => pins().get(subject)),
    list: (request) => pins().list(request, parts.pace()),
    counts: async () => pins().counts,
  };
}

async function preparedPins<T extends PinSubject>(
  subjects: readonly T[],
  decide: PinDecision<T>,
  parts: RegistryParts,
): Promise<PreparedCommit | undefined> {
  const { held, catalog } = parts.data;
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
      sources.set(source, new SourceAfter(source, source.record, new HashChange(source.hashes)));
      steps.push(told(entry, source));
    }
  }
  const prepared = await preparedCommit(steps, [...sources.values()], parts);
  const { change = isShown ? stateChange(parts, 0) : undefined } = prepared;
  return { ...prepared, contents: { ...prepared.contents, pins }, change };
}

/** The served statement gets another position, so that those who follow the feed hear of it. */
function told(before: Entry, { source, documents }: HeldSource): Step {
  const { uri, metadata, origin } = before;
  const of = documents.get(origin.document)?.record.of ?? '';
  const place = { source, document: origin.document, uri, of: { before: of, after: of } };
  return { ...place, kind: 'told', before, after: metadata };
}
