import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SourceKind } from '../../src/component/source.js';
import { STATEMENT_CLASSES, type StatementClass } from '../../src/core/precedence.js';
import type { Candidate } from '../../src/host/candidate.js';
import { ranked } from '../../src/host/ranking.js';

const KINDS: Readonly<Record<StatementClass, SourceKind>> = {
  'configured-pod': 'pod',
  own: 'local',
  'configured-peer': 'peer',
  'learned-pod': 'pod',
  'passed-on': 'peer',
  'learned-peer': 'peer',
  sample: 'sample',
};

/** In the order of the table; what a page is told of them: the kind of source, and its trust. */
const candidates = STATEMENT_CLASSES.map(({ name, trust }, i): Candidate => {
  const source = { url: `https://s${i}.example/`, kind: KINDS[name], document: 'https://x.example/', trust };
  return {
    ...{ uri: `https://${i}.example/c.js`, label: name, author: [], tag: [], shapes: [] },
    source,
    because: { shapes: ['https://shape.example/'], trust },
  };
});

it('ranks components that fit equally well as nodes order statements', () => {
  const arrived = fc.shuffledSubarray(candidates, { minLength: candidates.length });
  fc.assert(
    fc.property(arrived, (shuffled) => {
      expect(ranked(shuffled).map(({ label }) => label)).toEqual(STATEMENT_CLASSES.map(({ name }) => name));
    }),
  );
});

it('puts what has other bytes than it had behind everything else, as no host runs it', () => {
  const [first, ...others] = candidates as [Candidate, ...Candidate[]];
  const changed = { ...first, pin: { integrity: 'sha384-a', changed: 'sha384-b' } };
  expect(ranked([changed, ...others]).at(-1)).toBe(changed);
});
