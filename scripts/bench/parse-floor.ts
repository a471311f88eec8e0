/** Parses a Turtle file as a stream with n3 alone, and tells how long that takes, in ms. */
import { createReadStream } from 'node:fs';
import { StreamParser } from 'n3';

process.on('message', ({ file }: { file: string }) => {
  const started = performance.now();
  let quads = 0;
  createReadStream(file)
    .pipe(new StreamParser({ format: 'text/turtle', baseIRI: 'http://pod.example/' }))
    .on('data', () => {
      quads += 1;
    })
    .on('error', (error: Error) => process.send?.({ error: error.message }))
    .on('end', () => process.send?.({ result: { ms: performance.now() - started, quads } }));
});
