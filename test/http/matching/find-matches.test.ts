import { expect, test } from 'vitest';
import { readMatchQuestion } from '../../../src/component/match-question.js';
import { planMatch } from '../../../src/core/match-plan.js';
import { matchFinder } from '../../../src/http/matching/find-matches.js';
import type { Pace } from '../../../src/lib/pace.js';
import { component } from '../../acceptance/adapters/registry-app.js';
import { memoryRegistry } from '../../support/registry.js';

test('components are ranked one after another, with a pause after each', async () => {
  const { registry, catalog } = await memoryRegistry();
  const put = Array.from({ length: 6 }, (_, i) =>
    component(`https://c.example/${i}.js`, { shapes: ['urn:x:Card'] }),
  );
  await registry.commitOwn({ put });
  let [ranked, most] = [0, 0];
  const pace: Pace = () => () => {
    ranked = 0;
    return Promise.resolve();
  };
  // It is asked of each component that is ranked whether its module fails.
  const moduleFailure = () => {
    most = Math.max(most, ++ranked);
    return undefined;
  };
  const find = matchFinder({ catalog, reports: { moduleFailure, moduleMoves: () => 0 } });
  const question = readMatchQuestion({ types: ['urn:x:Card'] });
  expect(await find(planMatch(question), pace)).toHaveLength(put.length);
  expect(most).toBe(1);
});
