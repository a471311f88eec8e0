import type { LogTo } from '../../lib/log.js';

/** Something that somebody with a right did. Never a secret. */
export interface Deed {
  /** `operator`, `anybody` with the address, or `command line` with the user. */
  readonly who: string;
  /** In a few words: `posted 3 components`. */
  readonly what: string;
  /** Uris or addresses. */
  readonly subjects?: readonly string[];
}

export type Audit = (deed: Deed) => void;

/** Subjects of a deed that are named, and characters of each. */
const NAMED = { subjects: 5, characters: 300 } as const;

/**
 * Writes deeds into the log, each as a line with `audit: true`.
 * @param node host and port, by which nodes that share a log are told apart
 */
export function auditIn(log: LogTo<'info'>, node: string): Audit {
  return ({ subjects, ...deed }) => {
    const named = subjects?.slice(0, NAMED.subjects).map((subject) => subject.slice(0, NAMED.characters));
    log.info({ audit: true, node, ...deed, subjects: named }, 'audit');
  };
}
