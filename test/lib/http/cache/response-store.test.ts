import { beforeEach, describe, expect, it } from 'vitest';
import { ResponseStore, type StoredResponse } from '../../../../src/lib/http/cache/response-store.js';
import { headerReader } from '../../../../src/lib/http/cache/varied-headers.js';

const response = (body: string): StoredResponse => ({ status: 200, headers: [], body, bytes: body.length });
const readAccept = headerReader(['accept']);
const accepting = (value: string) => ['Host', 'x', 'Accept', value];

let store: ResponseStore;
beforeEach(() => {
  store = new ResponseStore({ maxBytes: 10_000, maxResponseBytes: 3000 });
});

describe('ResponseStore', () => {
  it('wants what is asked twice', () => {
    expect([store.wants('a'), store.wants('b'), store.wants('a')]).toEqual([false, false, true]);
  });

  it('gives a response until it is cleared', () => {
    expect(store.get('a', [])).toBeUndefined();
    store.put('a', [], readAccept, response('body'));
    expect(store.get('a', [])?.body).toBe('body');
    store.clear();
    expect(store.get('a', [])).toBeUndefined();
    expect(store.figures).toMatchObject({ hits: 1, misses: 2, bytes: 0, answers: 0 });
  });

  it('drops the oldest when it is full, and never stores what is too large', () => {
    for (const key of ['a', 'b', 'c', 'd']) store.put(key, [], readAccept, response('x'.repeat(2000)));
    store.put('large', [], readAccept, response('x'.repeat(3001)));
    const stored = ['a', 'b', 'c', 'd', 'large'].filter((key) => store.get(key, []) !== undefined);
    expect(stored).toEqual(['b', 'c', 'd']);
    expect(store.figures.bytes).toBeLessThanOrEqual(10_000);
    expect(store.figures.answers).toBe(3);
  });

  it('tells requests apart by the headers that the route varies on, and keeps a few variants', () => {
    for (const value of '0123456789') store.put('a', accepting(value), readAccept, response(value));
    const stored = [...'0123456789'].filter((value) => store.get('a', accepting(value))?.body === value);
    expect(stored.join('')).toBe('23456789');
    expect(store.figures.answers).toBe(8);
    expect(store.get('a', [...accepting('9'), 'accept-language', 'x'])?.body).toBe('9');
  });

  it('neither stores nor finds by a header that is given twice', () => {
    const twice = [...accepting('a'), 'accept', 'b'];
    store.put('a', twice, readAccept, response('x'));
    expect(store.figures.answers).toBe(0);
    store.put('a', accepting('a'), readAccept, response('x'));
    expect(store.get('a', twice)).toBeUndefined();
  });

  it('counts what it stores of long headers', () => {
    for (let i = 0; i < 10; i++)
      store.put(`${i}`, accepting('x'.repeat(4000)), readAccept, response('short'));
    expect(store.figures.answers).toBeLessThan(3);
  });

  it('never keeps more marks in memory than there is room for', () => {
    for (let i = 0; i < 500_000; i++) store.wants(`request ${i}`);
    const known = Array.from({ length: 1000 }, (_, i) => store.wants(`request ${i}`));
    expect(known.filter(Boolean).length).toBeLessThan(10);
  });
});
