import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from './answer.js';
import { type BodyPieces, bytesOf, isWhole } from './body.js';
import type { BodyEnd } from './response-stream.js';

/** Sends a reply by `node:http`. A body that cannot be completed closes the connection, so that the client notices. */
export function sendReply({ status, headers, body, finished }: Reply, outgoing: ServerResponse): void {
  try {
    outgoing.writeHead(status, headers);
  } catch (error) {
    finished({ bytes: 0, error });
    outgoing.destroy();
    return;
  }
  if (!isWhole(body)) void sendPieces(body, outgoing).then(finished);
  else {
    outgoing.end(body);
    finished({ bytes: bytesOf(body) ?? 0 });
  }
}

async function sendPieces(body: BodyPieces, outgoing: ServerResponse): Promise<BodyEnd> {
  let bytes = 0;
  const iterator = body[Symbol.asyncIterator]();
  const counted = {
    async next() {
      const one = await iterator.next();
      bytes += one.done ? 0 : (bytesOf(one.value) ?? 0);
      return one;
    },
    return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
    [Symbol.asyncIterator]: () => counted,
  };
  try {
    await pipeline(Readable.from(counted), outgoing);
    return { bytes };
  } catch (error) {
    // The client has left.
    const hasLeft = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    return hasLeft ? { bytes } : { bytes, error };
  }
}
