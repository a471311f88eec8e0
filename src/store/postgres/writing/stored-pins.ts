import { type PinSubject, pinKey } from '../../../component/pin.js';
import type { StoredPin } from '../../../core/pins.js';
import type { Session } from '../connection/session.js';
import { orderKey } from '../order-key.js';
import { portionsOf } from '../portions-of.js';

/** The key of a pin, in the order of `pinKey`. */
export function pinRowKey(subject: PinSubject): string {
  return orderKey(pinKey(subject));
}

/** The pins of these subjects, by `pinKey`. */
export async function readPins(
  session: Session,
  subjects: readonly PinSubject[],
): Promise<Map<string, StoredPin>> {
  const found = new Map<string, StoredPin>();
  for (const some of portionsOf(subjects)) {
    const rows = await session.rows<{ value: string }>(
      'SELECT value FROM registry.pin WHERE key = ANY($1)',
      [some.map(pinRowKey)],
      'pins',
    );
    for (const [key, pin] of pinsIn(rows.map(({ value }) => value))) found.set(key, pin);
  }
  return found;
}

/** The pins of these texts of JSON, by `pinKey`. */
export function pinsIn(values: readonly string[]): Map<string, StoredPin> {
  const pins = values.map((value) => JSON.parse(value) as StoredPin);
  return new Map(pins.map((pin) => [pinKey(pin), pin]));
}
