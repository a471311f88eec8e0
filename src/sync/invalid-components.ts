import type { FaultyDescription } from '../component/reading/described.js';
import { type InvalidComponent, LONGEST_SUBJECT, UNNAMED_INVALID } from '../core/document-record.js';

/** How much is kept of each invalid description: reasons, and characters of its subject and of each reason. */
const KEPT = { reasons: 10, subject: LONGEST_SUBJECT, reason: 200 } as const;

/** An invalid description as the status shows it. */
export function invalidComponent({ subject, faults }: FaultyDescription): InvalidComponent {
  return {
    subject: subject.slice(0, KEPT.subject),
    reasons: faults.slice(0, KEPT.reasons).map(({ detail }) => detail.slice(0, KEPT.reason)),
  };
}

/** The invalid descriptions of a document, with a line that counts those that are not named; undefined when there are none. */
export function withUnnamed(
  named: readonly InvalidComponent[],
  unnamed: number,
): InvalidComponent[] | undefined {
  const more = unnamed > 0 ? [{ subject: `${unnamed} more`, reasons: [UNNAMED_INVALID] }] : [];
  return named.length + more.length === 0 ? undefined : [...named, ...more];
}
