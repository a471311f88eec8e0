import fc from 'fast-check';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, SAMPLES, type Source } from '../../src/component/source.js';
import type { DocumentChange } from '../../src/core/document-change.js';
import type { Authority } from '../../src/core/precedence.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import type { SourceChange } from '../../src/registry/difference.js';
import { component } from '../support/registry.js';
import { INTEGRITY, longNames, pick, pinned, someMetadata, someUris } from './any-metadata.js';
import type { Decide, Model } from './model.js';
import { authority, LEARNED, PEER, POD_A, POD_B } from './sources.js';

/** What polls of sources ask for, and looks at modules find, in random histories (`histories.ts`). */

const LEARNED_PEERS = longNames('https://learned-peer.example/').map(
  (url): Source => ({ kind: 'peer', url }),
);
const SOURCES = [POD_A, POD_B, LEARNED, PEER, ...LEARNED_PEERS, SAMPLES];
export const anySource = pick(...SOURCES);
/** Of which something is heard, the first ones more often. */
export const heardSource = pick(POD_A, POD_A, POD_A, PEER, PEER, ...SOURCES);

const below =
  (name: string) =>
  ({ url }: Source) =>
    url + name;
const one = below('one');
const anyUrl = pick(
  ...[one, one, one, one, ...longNames('').map(below)],
  // Two sources may hold the same one.
  () => 'https://a.example/shared',
  // What a peer says for itself.
  ({ url }: Source) => takenFrom(url, LOCAL.url),
);
const GROUPS = ['pod https://x.example/', 'local urn:registry:local'];
const record = fc.record(
  {
    etag: pick('"1"', '"2"'),
    of: pick(...GROUPS),
    authority: pick<Authority>(
      ...[authority(0), authority(1), authority(2)],
      { ...LOCAL, class: 'own', place: 0 },
      { ...LEARNED, class: 'learned-pod', place: 0 },
    ),
  },
  { requiredKeys: [] },
);
const anyDocument = fc.oneof(
  { weight: 4, arbitrary: fc.record({ components: someMetadata, record }) },
  { weight: 3, arbitrary: fc.record({ amend: fc.record({ put: someMetadata, remove: someUris }), record }) },
  // It says once more what it says.
  { weight: 3, arbitrary: fc.constant({ isAgain: true }) },
  { weight: 1, arbitrary: fc.constant({ record: null }) },
  { weight: 1, arbitrary: fc.record({ record }) },
);

/** A change of a source, made of what is stored when it is asked for. */
export type ChangeOf = (source: Source, model: Model) => SourceChange;
export const anyChange: fc.Arbitrary<ChangeOf> = fc
  .record({
    documents: fc.uniqueArray(fc.tuple(anyUrl, anyDocument), { maxLength: 3, selector: ([url]) => url }),
    expects: pick(undefined, undefined, 'what it is', 'something else'),
    of: pick('', ...GROUPS),
    // Nothing but the time of the poll is new where there is none.
    memo: fc.option(fc.nat(3)),
  })
  .map(({ documents, expects, of, memo }) => (source, model) => {
    const named = documents.map(([urlOf, said]): DocumentChange => {
      const url = urlOf(source);
      return 'isAgain' in said ? model.again(source, url) : { url, ...said };
    });
    const lastSuccess = model.now;
    const record = ({ failures, ...others }: SourceRecord) =>
      memo === null
        ? { failures, ...others, lastSuccess }
        : { failures: failures + 1, lastSuccess, memo: { at: memo } };
    const change: SourceChange = { source, documents: named, record };
    if (!expects) return change;
    const digest = expects === 'what it is' ? model.after(change).digestOf(source, of) : 'none';
    return { ...change, expected: new Map([[of, digest]]) };
  });

/** A look at a module, and what is known of it afterwards. */
export const anyLook = fc
  .record({ ...pinned, source: anySource, first: pick(...INTEGRITY), last: pick(...INTEGRITY) })
  .map(({ name, version, source, first, last }) => {
    const subject = { uri: component(name).uri, version };
    const seen = { ...subject, source, first, last, since: 1 };
    const decide: Decide = (_, known) => ({
      ...{ ...seen, changedAt: first === last ? undefined : 5, checked: (known?.checked ?? 0) + 1 },
    });
    return [subject, decide] as const;
  });
