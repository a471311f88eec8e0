import type { FaultyDescription } from '../component/reading/described.js';
import { type InvalidComponent, LONGEST_SUBJECT, UNNAMED_INVALID } from '../core/document-record.js';

/** How much is kept of each invalid description: reasons, and characters of its subject and of each reason. */
const KEPT = { reasons: 10, subject: LONGEST_SUBJECT, reason: 200 } as const;

/**
 * The invalid descriptions of a document as the status shows them, and a line that counts those that are not named; undefined
 * when there are none.
 */
export function invalidComponents(
  invalid: readonly FaultyDescription[],
  unnamed = 0,
): InvalidComponent[] | undefined {
  const named = invalid.map(({ subject, faults }) => ({
    subject: subject.slice(0, KEPT.subject),
    reasons: faults.slice(0, KEPT.reasons).map(({ detail }) => detail.slice(0, KEPT.reason)),
  }));
  if (unnamed > 0) named.push({ subject: `${unnamed} more`, reasons: [UNNAMED_INVALID] });
  return named.length === 0 ? undefined : named;
}
