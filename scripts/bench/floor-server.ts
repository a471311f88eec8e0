/**
 * What the figures are measured against: `node:http` and nothing else. Tells its parent the port.
 * `/<bytes>` answers 200 with a body of that size that is there already, always the same one; `/304` answers 304.
 * Two more show what memory alone costs: `/<bytes>/many` sends 200 bodies in turn, and `/<bytes>/scattered` puts
 * each body together from 40 pieces that lie anywhere in as much memory as a listing takes.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { seeded } from './random.js';

/** Gives the next body of a kind. */
type Bodies = () => Buffer;

const KINDS: Readonly<Record<string, (size: number) => Bodies>> = { one, many, scattered };

function one(size: number): Bodies {
  const body = Buffer.alloc(size, 'x');
  return () => body;
}

function many(size: number): Bodies {
  const bodies = Array.from({ length: 200 }, () => Buffer.alloc(size, 'x'));
  let next = 0;
  return () => bodies[next++ % bodies.length] as Buffer;
}

function scattered(size: number): Bodies {
  const [pieces, memory, blockSize] = [40, 133_000_000, 64_000];
  const piece = Math.floor(size / pieces);
  const random = seeded(size);
  const blocks = Array.from({ length: memory / blockSize }, () => Buffer.alloc(blockSize, 'x'));
  const answers = Array.from({ length: 200 }, () =>
    Array.from({ length: pieces }, () => ({
      block: blocks[Math.floor(random() * blocks.length)] as Buffer,
      start: Math.floor(random() * (blockSize - piece)),
    })),
  );
  const body = Buffer.alloc(size, 'x');
  let next = 0;
  return () => {
    let at = 0;
    for (const { block, start } of answers[next++ % answers.length] ?? [])
      at += block.copy(body, at, start, start + piece);
    return body;
  };
}

const known = new Map<string, Bodies>();

function bodiesAt(url: string): Bodies {
  const [, size, kind = 'one'] = url.split('/');
  const bodies = known.get(url) ?? (KINDS[kind] ?? one)(Number(size));
  known.set(url, bodies);
  return bodies;
}

const server = createServer(({ url = '/' }, response) => {
  if (url === '/304') {
    response.writeHead(304, { etag: '"floor"' }).end();
    return;
  }
  const body = bodiesAt(url)();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
