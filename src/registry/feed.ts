import { createHash } from 'node:crypto';
import type { Source, SourceKind } from '../component/precedence.js';

/** How long removals are remembered at most (design, section 11), in ms. */
export const REMOVALS_REMEMBERED = 180 * 24 * 60 * 60 * 1000;

/** What a state has to say to those who follow changes (design, section 11). Never changed. */
export interface Feed {
  /**
   * The position of the latest change; 0 when there has been none. Positions are integers, given in the order of
   * commits: each statement (a document on a component) has that of its latest change, and no two have the same. A
   * change of the network lists, or of the ranks of sources, has a position, too: so no two states have the same.
   */
  readonly position: number;
  /** Hash of everything that is stored and of the revision of the network lists: 32 hexadecimal digits. */
  readonly digest: string;
  /** Changes up to this position may have been forgotten: a reader that stood before it reads everything again. */
  readonly floor: number;
  /** Removals that are remembered. */
  readonly tombstones: number;
  /** The sources that describe something, in no particular order. */
  readonly sources: readonly SourceLine[];
}

/** What one source says, in short. */
export interface SourceLine {
  readonly source: Source;
  /** `Precedence.rank`, of what the source says for itself: the lowest is served; ties by URL. */
  readonly rank: number;
  /** Statements, shadowed ones included. */
  readonly count: number;
  /** `LtHash.digest` of `digestElement` of each statement. */
  readonly digest: string;
  /** Of the latest change of this line. */
  readonly position: number;
}

/** The lines of sources of these kinds; all of them where none is named. */
export function linesOfKinds(
  lines: readonly SourceLine[],
  kinds: readonly SourceKind[] | undefined,
): readonly SourceLine[] {
  return kinds ? lines.filter(({ source }) => kinds.includes(source.kind)) : lines;
}

/** The digest over all sources, and over the revision of the network lists. */
export function feedDigest(lines: readonly SourceLine[], networkRevision: number): string {
  const texts = lines.map(
    ({ source, rank, count, digest }) => `${source.kind} ${source.url} ${rank} ${count} ${digest}\n`,
  );
  const text = `${texts.sort().join('')}network ${networkRevision}\n`;
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Of a registry that holds nothing yet. */
export const NO_FEED: Feed = { position: 0, digest: feedDigest([], 0), floor: 0, tombstones: 0, sources: [] };

/** What is stored would not be what the other side says it has: nothing was changed. */
export class DigestMismatch extends Error {
  override readonly name = 'DigestMismatch';
  /** Those that differ, as `SourceChange.expected` names them. */
  readonly differing: readonly string[];

  constructor(differing: readonly string[]) {
    super(`What would be stored is not what the source has: ${differing.join(', ')}`);
    this.differing = differing;
  }
}
