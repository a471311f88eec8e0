// Prints, as JSON, how many triples a streaming parser finds at a URL.
//   node read-json-ld.mjs <url>
import { Readable } from 'node:stream';
import { JsonLdParser } from 'jsonld-streaming-parser';

const [url] = process.argv.slice(2);
const { headers, body } = await fetch(url, { headers: { accept: 'application/ld+json' } });
const [mediaType] = headers.get('content-type').split(';');
const parser = JsonLdParser.fromHttpResponse(url, mediaType, headers);
let triples = 0;
for await (const _ of Readable.fromWeb(body).pipe(parser)) triples++;
console.log(JSON.stringify({ triples }));
