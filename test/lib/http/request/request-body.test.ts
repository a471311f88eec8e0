import { HonoRequest } from 'hono/request';
import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../../src/lib/http/error-handler.js';
import type { Problem } from '../../../../src/lib/http/problem.js';
import { readJsonBody, readTextBody } from '../../../../src/lib/http/request/request-body.js';

const JSON_TYPE = { 'content-type': 'application/json' };

function request(
  body: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = JSON_TYPE,
): Request {
  return new Request('http://node.example/', { method: 'POST', headers, body, duplex: 'half' });
}

/** A body that grows for as long as somebody reads it. */
function endless(): { stream: ReadableStream; taken: () => number } {
  let taken = 0;
  const source = {
    pull(controller: ReadableStreamDefaultController) {
      taken += 1000;
      controller.enqueue(new Uint8Array(1000).fill(32));
    },
  };
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  return { stream, taken: () => taken };
}

async function problem(reading: Promise<unknown>): Promise<Problem> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) throw new Error('expected a problem');
  return problemOf(error);
}

describe('readTextBody', () => {
  const read = (from: Request, limit = 100) =>
    readTextBody(new HonoRequest(from), { accepted: ['application/json', 'text/turtle'], limit });

  it('takes what is at hand, within the limit, and makes no other request of it', async () => {
    const atHand = {
      ...{ method: 'POST', url: 'http://node.example/', path: '/', query: () => undefined },
      header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
      bodyAtHand: Buffer.from('{}'),
      get raw() {
        return expect.unreachable('a request of the Fetch standard is made');
      },
    };
    const reading = (limit: number) => readTextBody(atHand, { accepted: ['application/json'], limit });
    expect((await reading(2)).text).toBe('{}');
    expect((await problem(reading(1))).status).toBe(413);
  });

  it.each([
    ['before it reads, by the announced length', { 'content-length': '5001' }, 0],
    ['at the limit, when nothing was announced', {}, 9_000],
  ])('refuses what is too large %s', async (_, announced, most) => {
    const { stream, taken } = endless();
    const sent = request(stream, { ...JSON_TYPE, ...announced });
    expect((await problem(read(sent, 5_000))).status).toBe(413);
    expect(taken()).toBeLessThanOrEqual(most);
  });

  it('says when a body breaks off', async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error('socket closed'));
      },
    });
    expect((await problem(read(request(broken)))).status).toBe(400);
  });
});

describe('readJsonBody says what is wrong with a text, and where', () => {
  it.each([
    ['{"a":1,\n "b" 2}', 'line 2, column 6'],
    ['{"a":', 'line 1, column 6'],
    ['[1,\n\n', 'line 3, column 1'],
    ['{"a":tru}', 'line 1, column 6'],
    ['['.repeat(100_000), 'nested more than 100 deep'],
  ])('%j', async (text, place) => {
    await expect(readJsonBody(new HonoRequest(request(text)), 200_000)).rejects.toThrow(place);
  });
});
