import { samePin } from '../../../component/pin.js';
import type { HeldPins } from '../held-pins.js';
import type { Entry } from '../listing/entry.js';
import type { DocumentDifference } from './difference.js';

/** The differences with the pins that there are now: some may have come since their entries were made. */
export function withPresentPins(
  differences: readonly DocumentDifference[],
  pins: HeldPins,
): readonly DocumentDifference[] {
  return differences.map((difference) => {
    const present = new Map<Entry, Entry>();
    for (const { entry, metadata } of difference.come) {
      const pin = pins.of(metadata, entry);
      if (!samePin(entry.pin, pin)) present.set(entry, entry.withPin(pin));
    }
    if (present.size === 0) return difference;
    return {
      ...difference,
      come: difference.come.map((draft) => ({ ...draft, entry: present.get(draft.entry) ?? draft.entry })),
      changes: difference.changes.map((change) =>
        change.entry ? { ...change, entry: present.get(change.entry) ?? change.entry } : change,
      ),
    };
  });
}
