import { expect, it } from 'vitest';
import * as z from 'zod';
import { InvalidInput } from '../../../../src/lib/faults.js';
import { pageSchemaOf, readParameters } from '../../../../src/lib/http/request/page-parameters.js';

const schema = pageSchemaOf({ members: 'things', after: 'of this' }).extend({ type: z.string().optional() });
const read = (text: string) => readParameters(schema, new URLSearchParams(text), ['tag']);

function faultsOf(text: string): string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.faults.map(({ pointer }) => pointer);
  }
}

it('reads a page', () => {
  expect(read('limit=10000&after=x')).toEqual({ limit: 10_000, after: 'x' });
  expect(read('')).toEqual({});
});

it('lets filters be repeated, and nothing else', () => {
  expect(faultsOf('tag=a&tag=b&type=c&limit=1')).toEqual([]);
  expect(faultsOf('type=a&type=b&limit=1&limit=2')).toEqual(['?limit', '?type']);
});
