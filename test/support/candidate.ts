import type { Metadata } from '../../src/component/metadata.js';
import type { Candidate } from '../../src/component/query.js';
import { searchText } from '../../src/component/search-text.js';

/** What a query judges, of metadata and who says it. */
export function candidateOf(
  metadata: Metadata,
  { source, trust }: Pick<Candidate, 'source' | 'trust'>,
): Candidate {
  const { version, latest } = metadata;
  return {
    metadata,
    version,
    latest,
    source,
    trust,
    get searchText() {
      return searchText(metadata);
    },
    mayContain: () => true,
  };
}
