import { sourceOfKey } from '../../../component/source.js';
import { takeStatement } from '../../../core/take.js';
import type { FeedPolling } from './feed-polling.js';

/**
 * Components of a peer that there must be room for: those of its own, and of the pods that it reads and that are taken from
 * it; to a mirror, all of them. Known before anything of them is read.
 */
export function roomNeeded({ summaries, rules, names }: Pick<FeedPolling, 'summaries' | 'rules' | 'names'>) {
  const isTaken = (of: string) => {
    const { kind, url } = sourceOfKey(of);
    if (kind !== 'pod') return kind !== 'peer' || rules.isMirror;
    return takeStatement({ graph: url, isStored: names.isStored(of), of }, rules) === 'taken';
  };
  return [...summaries.all.values()].reduce((sum, { of, count }) => sum + (isTaken(of) ? count : 0), 0);
}
