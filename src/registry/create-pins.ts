import type { Entry } from '../catalog/entry.js';
import { isChanged, type PinSubject, pinKey, samePin } from '../component/pin.js';
import { decidedPins, type PinDecision, pinOf, type StoredPin } from '../core/pins.js';
import { HashChange } from '../core/source-digests.js';
import type { Step } from './difference.js';
import type { HeldSource } from './held.js';
import type { Pins } from './pins.js';
import { type PreparedCommit, type PreparingParts, preparedCommit, stateChange } from './prepared-commit.js';
import { pinRowKey } from './row-keys.js';
import { SourceAfter } from './source-after.js';
import type { Writer } from './writer.js';

export interface PinsParts extends PreparingParts {
  readonly writer: Writer;
}

/** The pins, held in memory. A pin that changes and the position that tells of it are one commit. */
export function createPins({ writer, ...parts }: PinsParts): Pins {
  const pins = () => parts.data.held.pins;
  return {
    async change(subjects, decide) {
      await writer.write(() => preparedPins(subjects, decide, parts));
    },
    get: async (subjects) => subjects.map((subject) => pins().get(subject)),
    list: (request) => pins().list(request, parts.pace()),
    counts: async () => pins().counts,
  };
}

async function preparedPins<T extends PinSubject>(
  subjects: readonly T[],
  decide: PinDecision<T>,
  parts: PreparingParts,
): Promise<PreparedCommit | undefined> {
  const { held, catalog } = parts.data;
  /** What is said of this version of the component. */
  const describing = (subject: PinSubject) =>
    catalog.entriesOf(subject.uri).filter((entry) => pinKey(entry) === pinKey(subject));
  const decided = decidedPins(subjects, decide, {
    get: (subject) => held.pins.get(subject),
    isDescribed: (subject) => describing(subject).length > 0,
  });
  if (decided.size === 0) return undefined;
  const pins = new Map<string, StoredPin | undefined>();
  const sources = new Set<HeldSource>();
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
      sources.add(source);
      steps.push(told(entry, source));
    }
  }
  const changed = [...sources].map((one) => new SourceAfter(one, one.record, new HashChange(one.hashes)));
  const prepared = await preparedCommit(steps, changed, parts);
  const { change = isShown ? stateChange(parts, 0) : undefined } = prepared;
  return { ...prepared, contents: { ...prepared.contents, pins }, change };
}

/** The served statement gets another position, so that those who follow the feed hear of it. */
function told(entry: Entry, { source, documents }: HeldSource): Step {
  const { document } = entry.origin;
  const of = documents.get(document)?.record.of ?? '';
  return {
    ...{ source, document, uri: entry.uri, kind: 'told', of: { before: of, after: of } },
    ...{ before: entry, after: entry.metadata },
  };
}
