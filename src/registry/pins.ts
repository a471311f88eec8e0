import { type PinSubject, pinKey } from '../component/pin.js';
import type { PinDecision, StoredPin } from '../core/pins.js';

/** Which pins are wanted, in the order of `pinKey`. */
export interface PinRequest {
  /** Only pins whose `pinKey` is greater. */
  readonly after?: string | undefined;
  /** Only those that had changed at the last look. */
  readonly changed?: boolean | undefined;
  readonly limit: number;
}

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

const PORTION = 500;

/** Forgets what has been seen of a component's module, of all versions or of one. @returns how many pins that were */
export async function forgetPins(pins: Pins, uri: string, version?: string): Promise<number> {
  const found: StoredPin[] = [];
  // The keys of its versions come behind it, before those of any other uri.
  for (let page: readonly StoredPin[] | undefined; !page || page.at(-1)?.uri === uri; ) {
    const last = page?.at(-1);
    page = await pins.list({ after: last ? pinKey(last) : uri, limit: PORTION });
    found.push(...page.filter((pin) => pin.uri === uri));
  }
  const meant = version === undefined ? found : found.filter((pin) => pin.version === version);
  await pins.change(meant, () => undefined);
  return meant.length;
}
