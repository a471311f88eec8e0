import { beforeEach, describe, expect, it } from 'vitest';
import type { State } from '../../../src/catalog/catalog.js';
import { FeedAnswers, type MakePage } from '../../../src/http/feed/feed-answers.js';
import type { Answer, RouteContext } from '../../../src/lib/http/resource.js';

const MB = 1_000_000;
const request = { req: { header: () => undefined } } as unknown as RouteContext;
const revision = { epoch: 'e', number: 1, since: 0 };
const stateAt = (position: number) =>
  ({ revision, networkRevision: revision, feed: { position, digest: '0'.repeat(32) } }) as unknown as State;
const state = stateAt(1);

let answers: FeedAnswers;
/** How many bytes each page was asked to have at most. */
let asked: number[];
beforeEach(() => {
  answers = new FeedAnswers();
  asked = [];
});

const get = (key: string, make: (maxBytes: number) => string | Promise<string>, at = state) => {
  const page: MakePage = async (maxBytes) => {
    asked.push(maxBytes);
    return { state: at, text: await make(maxBytes) };
  };
  return answers.answer(request, { type: 'application/json', state: at, key }, page);
};
const full = (maxBytes: number) => 'x'.repeat(maxBytes);

/** Reads a body to its end, or for so many pieces. */
async function read({ body = '' }: Answer, pieces = Number.POSITIVE_INFINITY): Promise<number> {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  let bytes = 0;
  let count = 0;
  for await (const piece of body) {
    bytes += piece.length;
    count += 1;
    if (count === pieces) break;
  }
  return bytes;
}

describe('pages of the feed', () => {
  it('are made once for all who ask for them in one state, at the same time or later', async () => {
    const make = () => 'x'.repeat(200_000);
    const bodies = [...(await Promise.all([get('a', make), get('a', make)])), await get('a', make)];
    expect(await Promise.all(bodies.map((body) => read(body)))).toEqual([200_000, 200_000, 200_000]);
    expect(asked).toHaveLength(1);
    await get('b', make);
    await get('a', make, stateAt(2));
    expect(asked).toHaveLength(3);
  });

  it('are shorter while readers are slow, so that all together have bounded memory', async () => {
    const bodies: Answer[] = [];
    for (let i = 0; i < 200; i++) bodies.push(await get(`${i}`, full));
    expect(asked[0]).toBe(4 * MB);
    expect(asked.at(-1)).toBe(65_536);
    expect(asked.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(50 * MB);
    // Some are read, of others the reader goes.
    for (const [i, body] of bodies.entries()) await read(body, i % 2 === 0 ? 1 : undefined);
    await get('again', full);
    expect(asked.at(-1)).toBe(4 * MB);
  });
});
