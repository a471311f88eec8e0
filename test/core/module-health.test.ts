import { describe, expect, test } from 'vitest';
import { readMatchQuestion } from '../../src/component/match-question.js';
import { isBroken, type MatchCandidate, Ranking } from '../../src/core/match.js';
import { planMatch } from '../../src/core/match-plan.js';
import { type ModuleState, moduleState } from '../../src/core/module-health.js';

const PIN = { integrity: 'sha384-a' };
const failing = (failures: number) => ({
  uri: 'https://c.example/c.js',
  error: 'answers 404',
  at: 1,
  failures,
});

test.each<[string, Parameters<typeof moduleState>, ModuleState]>([
  ['was seen and is as it was', [PIN, undefined], 'reachable'],
  ['was never looked at', [undefined, undefined], 'unknown'],
  ['was there before, and failed once', [PIN, failing(1)], 'missed'],
  ['was there before, and failed twice', [PIN, failing(2)], 'dead'],
  ['was never there', [undefined, failing(1)], 'dead'],
  ['has other bytes', [{ ...PIN, changed: 'sha384-b' }, undefined], 'changed'],
  [
    'has other bytes in a file that it imports',
    [
      { ...PIN, files: [{ uri: 'https://c.example/x.js', integrity: 'sha384-a', changed: 'sha384-b' }] },
      undefined,
    ],
    'changed',
  ],
])('a module that %s', (_what, [pin, failure], expected) => {
  expect(moduleState(pin, failure)).toBe(expected);
});

describe('ranking', () => {
  const PERSON = 'http://xmlns.com/foaf/0.1/Person';
  const candidate = (name: string, shape: string, module?: ModuleState): MatchCandidate => ({
    metadata: { uri: `https://c.example/${name}.js`, label: name, author: [], tag: [], shapes: [shape] },
    ...{
      source: { kind: 'pod', url: 'https://pod.example/' },
      trust: 'configured',
      since: 0,
      module,
    },
  });
  const ranked = (...candidates: MatchCandidate[]) => {
    const ranking = new Ranking(planMatch(readMatchQuestion({ types: [PERSON], limit: 10 })));
    for (const candidate of candidates) ranking.add(candidate);
    return ranking.matches;
  };

  test('puts what no host could run behind everything that works, and says why', () => {
    const generic = 'http://www.w3.org/2000/01/rdf-schema#Resource';
    const matches = ranked(
      candidate('dead', PERSON, 'dead'),
      candidate('changed', PERSON, 'changed'),
      candidate('generic', generic, 'reachable'),
      candidate('missed', PERSON, 'missed'),
      candidate('unknown', PERSON),
    );
    expect(matches.map(({ candidate: { metadata } }) => metadata.label)).toEqual([
      'missed',
      'unknown',
      'generic',
      'changed',
      'dead',
    ]);
    const scores = matches.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(
      matches.filter((match) => isBroken(match.candidate)).map(({ because }) => because.at(-1)?.text),
    ).toEqual([
      'the bytes of its module have changed, so it comes last',
      'its module cannot be had, so it comes last',
    ]);
  });
});
