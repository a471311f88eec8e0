/**
 * The candidate that is most like a (probably mistyped) word: the one with the smallest edit distance, ignoring case.
 * Undefined when that distance is more than `tolerance` times the length of the word.
 */
export function nearest(word: string, candidates: Iterable<string>, tolerance = 0.4): string | undefined {
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (!best || edits < best.edits) best = { candidate, edits };
  }
  return best && best.edits <= word.length * tolerance ? best.candidate : undefined;
}

/** Levenshtein distance: insertions, deletions and replacements of single characters. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 0; i < one.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = (row[j] ?? 0) + (one[i] === other[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
