import type { Pin } from '../../../component/pin.js';
import {
  pinText,
  SINCE_LENGTH,
  sinceText,
  sourceText,
  withProvenance,
} from '../../../component/writing/provenance-text.js';
import type { Standing, Statement } from '../../../core/precedence.js';

export interface EntryFacts {
  readonly plain: number;
  readonly version: string | undefined;
  readonly latest: boolean | undefined;
  readonly pin?: Pin | undefined;
}

/** One document of one source, as it is stored, and who says it, as readers are told. */
export interface Origin extends Statement {
  readonly standing: Standing;
  /** See `Precedence.rankWithin`. */
  readonly rankWithin: number;
}

/** What stands in the objects of all entries of a document: who says it. Worked out once for each. */
const sourceTexts = new WeakMap<Origin, { readonly text: string; readonly bytes: number }>();

export function sourceTextOf(origin: Origin): { readonly text: string; readonly bytes: number } {
  const known = sourceTexts.get(origin);
  if (known) return known;
  const text = sourceText(origin.standing);
  const made = { text, bytes: Buffer.byteLength(text) };
  sourceTexts.set(origin, made);
  return made;
}

/** The listing object with who says it and since when, its pin, and where the plain names begin in it, in bytes. */
export function attributed(
  text: string,
  { plain, ...facts }: EntryFacts,
  origin: Origin,
  at: number,
): { readonly text: string; readonly facts: EntryFacts } {
  return {
    text: withProvenance(text, pinText(facts.pin) + sourceTextOf(origin).text + sinceText(at)),
    // The spread at the end: a name behind one costs a microsecond in V8 of Node 20, at the start for each component.
    facts: { plain: plain + attributedBytes(origin, facts.pin), ...facts },
  };
}

/** Length of what `attributed` puts into a listing object, in bytes. */
export function attributedBytes(origin: Origin, pin: Pin | undefined): number {
  return pinText(pin).length + sourceTextOf(origin).bytes + SINCE_LENGTH;
}
