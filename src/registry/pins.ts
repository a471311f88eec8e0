import type { Pin, PinSubject } from '../component/pin.js';

/** What is remembered of one version of a module. */
export interface StoredPin extends Pin, PinSubject {
  /** When the first bytes were seen, ms since the Unix epoch. */
  readonly since: number;
  /** When it was found that they had changed, ms since the Unix epoch; absent unless `changed` is there. */
  readonly changedAt?: number | undefined;
  /** When the module was last fetched, or found to be what it was, ms since the Unix epoch. */
  readonly checked: number;
  /** Of the answer whose bytes were hashed last, for conditional requests. */
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** Which pins are wanted, in the order of `pinKey`. */
export interface PinRequest {
  /** Only pins whose `pinKey` is greater. */
  readonly after?: string | undefined;
  /** Only those that have changed. */
  readonly changed?: boolean | undefined;
  readonly limit: number;
}

/**
 * What the node has seen of modules itself, by uri and version; whoever describes the component has no say in it. Every
 * description has its pin (`Description.pin`), in every answer of the catalog that is asked for after `set` has resolved.
 */
export interface Pins {
  /**
   * Remembers pins, in place of earlier ones of the same subjects: durably, all or none of them. The revision moves if answers
   * show something else then. A served statement whose pin becomes `changed`, or is no longer, gets a new position, as if it had
   * been said again, so that those who follow the feed hear of it; other pins move no position.
   */
  set(pins: readonly StoredPin[]): Promise<void>;

  /** Forgets pins that no description shows any more; one that is still shown stays. */
  forget(subjects: readonly PinSubject[]): Promise<void>;

  /** The pins of these subjects, each at its place; undefined where there is none. */
  get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]>;

  list(request: PinRequest): Promise<readonly StoredPin[]>;

  /** How many there are, and how many of them have changed. */
  counts(): Promise<{ readonly all: number; readonly changed: number }>;
}
