import type { InvalidDescription } from '../component/reading/described.js';
import type { InvalidComponent } from '../registry/source-record.js';

/** How much is kept of each invalid description: reasons, and characters of its subject and of each reason. */
const KEPT = { reasons: 10, subject: 200, reason: 200 } as const;

/** The invalid descriptions of a document as the status shows them, and a line that counts those that are not named. */
export function invalidComponents(invalid: readonly InvalidDescription[], unnamed = 0): InvalidComponent[] {
  const named = invalid.map(({ subject, faults }) => ({
    subject: subject.slice(0, KEPT.subject),
    reasons: faults.slice(0, KEPT.reasons).map(({ detail }) => detail.slice(0, KEPT.reason)),
  }));
  if (unnamed === 0) return named;
  const reasons = ['break a rule, too; they are not named here'];
  return [...named, { subject: `${unnamed} more`, reasons }];
}
