/**
 * A pod in a process of its own: one Turtle document with components, made when it is told to. Validators
 * are those of a Solid server. Told `{ from, to, releases }`, it answers when the document is ready.
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createQuadWriter } from '../../src/component/rdf/rdf-write.js';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { metadataToQuads } from '../../src/component/writing/metadata-quads.js';
import { type Releases, releasesOf, sampleComponents } from './sample-data.js';

export interface PodOrder {
  /** Which of the sample components it holds. */
  readonly from: number;
  readonly to: number;
  readonly releases?: Releases;
  /** Also writes the document there. */
  readonly file?: string;
}

const vocabulary = createVocabulary('http://semcom.digita.ai/voc#');
let document: { body: Buffer; etag: string } = { body: Buffer.from(''), etag: '"0"' };
let version = 0;

function turtle({ from, to, releases }: PodOrder): Buffer {
  const writer = createQuadWriter('text/turtle', vocabulary);
  const pieces: Buffer[] = [];
  for (const component of sampleComponents(from, to, releasesOf(releases))) {
    pieces.push(Buffer.from(writer.write(metadataToQuads(component, vocabulary))));
  }
  return Buffer.concat([...pieces, Buffer.from(writer.end())]);
}

const server = createServer((request, response) => {
  const { body, etag } = document;
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
  response.writeHead(200, { 'content-type': 'text/turtle', 'content-length': body.length, etag }).end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (order: PodOrder) => {
  version += 1;
  document = { body: turtle(order), etag: `"${version}"` };
  if (order.file) writeFileSync(order.file, document.body);
  process.send?.({ result: document.body.length });
});
