/**
 * What the figures are measured against: `node:http` and nothing else, sending a body that is there already.
 * `/<bytes>` answers 200 with a body of that size, `/304` answers 304. Tells its parent the port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const bodies = new Map<string, Buffer>();

const server = createServer(({ url = '/' }, response) => {
  if (url === '/304') {
    response.writeHead(304, { etag: '"floor"' }).end();
    return;
  }
  let body = bodies.get(url);
  if (!body) {
    body = Buffer.alloc(Number(url.slice(1)), 'x');
    bodies.set(url, body);
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
