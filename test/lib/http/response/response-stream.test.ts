import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type BodyEnd, bodyStream } from '../../../../src/lib/http/response/response-stream.js';

describe('bodyStream', () => {
  it('ends once, without an error, when the client disconnects while a piece is being made', async () => {
    const making = new EventEmitter();
    async function* pieces() {
      yield 'first';
      making.emit('second');
      await once(making, 'made');
      yield 'second';
    }
    const ends: BodyEnd[] = [];
    const reader = bodyStream(pieces(), (end) => ends.push(end)).getReader();
    await reader.read();
    const [second] = [reader.read(), await once(making, 'second')];
    const cancelled = reader.cancel();
    making.emit('made');
    await Promise.all([second, cancelled]);
    expect(ends).toEqual([{ bytes: 5 }]);
  });
});
