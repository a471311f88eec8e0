import { expect, it } from 'vitest';
import { InvalidInput } from '../../../../src/lib/faults.js';
import { readPageParameters } from '../../../../src/lib/http/request/page-parameters.js';

function faultsOf(text: string, others?: Parameters<typeof readPageParameters>[1]): string[] {
  try {
    readPageParameters(new URLSearchParams(text), others);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.faults.map(({ pointer }) => pointer);
  }
}

it('reads a page', () => {
  expect(readPageParameters(new URLSearchParams('limit=10000&after=x'))).toEqual({
    limit: 10_000,
    after: 'x',
  });
  expect(readPageParameters(new URLSearchParams())).toEqual({});
});

it('lets filters be repeated, and nothing else', () => {
  const others = { single: ['type'], repeatable: ['tag'] };
  expect(faultsOf('tag=a&tag=b&type=c&limit=1', others)).toEqual([]);
  expect(faultsOf('type=a&type=b&limit=1&limit=2', others)).toEqual(['?limit', '?type']);
});
