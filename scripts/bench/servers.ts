/**
 * What nodes are measured against, and what they read, in a process of its own: bare `node:http`.
 * `/<bytes>`, whatever follows, answers with a body of that size that is there already, `/<bytes>/copied` with one put together
 * of pieces that lie anywhere in as much memory as 100,000 components take, `/304` answers 304, and `/components.ttl` is the
 * document of a pod, with validators as a Solid server has them. A `POST` of an order gives the document other components from
 * now on.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createQuadWriter } from '../../src/component/rdf/rdf-write.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { metadataToQuads } from '../../src/component/writing/metadata-quads.js';
import { sampleComponents } from './sample-data.js';

export interface PodOrder {
  /** Which of the sample components the document holds, and in which release. */
  readonly from: number;
  readonly to: number;
  readonly release?: number;
}

const vocabulary = createVocabulary('http://semcom.digita.ai/voc#');
const pod = { body: Buffer.from(''), etag: '"0"', version: 0 };
const bodies = new Map<number, Buffer>();

function bodyAt(url: string): Buffer {
  const size = Number.parseInt(url.slice(1), 10);
  if (url.endsWith('/copied')) return copiedBody(size);
  const body = bodies.get(size) ?? Buffer.alloc(size, 'x');
  bodies.set(size, body);
  return body;
}

async function obey(request: IncomingMessage): Promise<void> {
  const { from, to, release } = JSON.parse(await text(request)) as PodOrder;
  const writer = createQuadWriter('text/turtle', vocabulary);
  const pieces: string[] = [];
  for (const component of sampleComponents(from, to, release))
    pieces.push(String(writer.write(metadataToQuads(component, vocabulary))));
  pod.version += 1;
  pod.etag = `"${pod.version}"`;
  pod.body = Buffer.from([...pieces, writer.end()].join(''));
}

/** A copied body has as many pieces as an answer has components, and they lie in blocks as long as those of a listing. */
const COPIED = { pieces: 40, blocks: 1_100, blockBytes: 131_072 };
const blocks: Buffer[] = [];

function copiedBody(size: number): Buffer {
  while (blocks.length < COPIED.blocks) blocks.push(Buffer.alloc(COPIED.blockBytes, 'x'));
  // One for each answer, as those before may still be on their way.
  const body = Buffer.allocUnsafe(size);
  const length = Math.floor(size / COPIED.pieces);
  for (let piece = 0; piece < COPIED.pieces; piece++) {
    const block = blocks[Math.floor(Math.random() * blocks.length)];
    const from = Math.floor(Math.random() * (COPIED.blockBytes - length));
    block?.copy(body, piece * length, from, from + length);
  }
  return body;
}

const server = createServer((request, response) => {
  const { url = '/', headers, method } = request;
  if (method === 'POST') {
    void obey(request).then(() => response.end());
    return;
  }
  const isPod = url === '/components.ttl';
  const etag = isPod ? pod.etag : '"floor"';
  if (url === '/304' || headers['if-none-match'] === etag) {
    response.writeHead(304, { etag }).end();
    return;
  }
  const body = isPod ? pod.body : bodyAt(url);
  const type = isPod ? 'text/turtle' : 'application/json';
  response.writeHead(200, { 'content-type': type, 'content-length': body.length, etag }).end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
