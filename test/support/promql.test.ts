import { expect, test } from 'vitest';
import { namesIn } from './promql.js';

test.each([
  ['up{job="a b{c}"} == 0', ['up'], ['job']],
  ['histogram_quantile(0.9, sum by (le) (rate(a_bucket{x!~"y|z"}[5m]))) > 1', ['a_bucket'], ['le', 'x']],
  ['a < 0.5 * (a offset 1h) and on (job, url) b == 0 or vector(0)', ['a', 'b'], ['job', 'url']],
])('%s names its metrics and labels', (expression, metrics, labels) => {
  expect(namesIn(expression)).toEqual({ metrics, labels });
});
