import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, it } from 'vitest';
import { startInProcess } from '../acceptance/adapters/in-process-node.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { expectLinear } from '../support/processor-time.js';
import { rounds } from '../support/torture.js';

/** One of so many combinations is tried: each has a cost of its own, and the code behind many is the same. */
const EVERY = rounds({ short: 37, full: 1 });
/** Characters of a target; with twice as many it is still one that the node takes. */
const TARGET = 5_500;
/** Characters of a header; twice as many are nearly what the parser takes for all headers together. */
const HEADER = 7_500;

let port: number;
beforeAll(async () => {
  // Not at the root, so that what is mounted is tried as well.
  ({ port } = await startInProcess({
    config: { write: 'open', connection: { path: '/connect', issuers: ['https://issuer.example'] } },
    threads: true,
  }));
});

const COLLECTIONS = ['connection', 'invite', 'resource', 'exchange', 'holder'];
const PREFIXES = [
  ...COLLECTIONS.flatMap((name) => [`/connect/${name}`, `/connect/${name}/https://a.example`]),
  ...['/connect', '/c/', '/c/https://a.example', '/nowhere', '/component', '/component/query', '/frame', '/'],
];
const QUERIES = [
  ...['/component?', '/?', '/?shapes=a', '/?q=', '/peers?', '/frame?uri=', '/frame?entry=http://', '/sync?'],
  ...['/component/query?', '/connect/connection/?', '/connect/invite/x/accept?expires='],
  '/connect/holder/x/connections?',
];
const IN_PATHS = '/ a a/ // %2F %252F % %F0 /link /accept/ ./ ../ ; : @'.split(' ');
const IN_QUERIES = 'a & &a &a= &shapes= = % %2C + / ? %20||%20'.split(' ');
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'SEARCH'];

const HEADERS = [
  'accept accept-encoding accept-language if-none-match if-match if-modified-since cookie origin',
  'sec-fetch-site sec-fetch-dest content-type content-encoding link range host authorization expect',
  'access-control-request-headers x-forwarded-for connection te',
].flatMap((names) => names.split(' '));
const IN_HEADERS = [
  ...['a', ',', ' ,', ';', ' ', '\t', '"', '\\', '=', '/', 'a/b,', '*/*;', 'a/b;q=0.1,', 'a/b;a="'],
  ...['W/"', '"a",', '<', ' a', '.'],
];
const REQUESTS = [
  ...['GET /component', 'POST /component', 'POST /component/query', 'GET /', 'GET /c/http://a.example'],
  ...['POST /publish', 'GET /connect/connection/x', 'PUT /connect/invite/x', 'GET /frame?uri=x'],
  ...['GET /host.js', 'OPTIONS /component'],
];

/** What is tried with each of a few parts. */
const FEW: [what: string, parts: readonly string[], made: (part: string, length: number) => string][] = [
  [
    'the number of headers',
    ['accept', 'if-none-match', 'x', 'cookie', 'content-type'],
    (name, length) => request('GET /component', ...Array.from({ length: length / 20 }, () => `${name}: a/b`)),
  ],
  ...['iss', 'sub', 'scope'].map((claim): (typeof FEW)[number] => [
    `the claim ${claim} of a token`,
    ['/', 'a', 'a/', '%2F', ' ', '='],
    (filler, length) =>
      request('GET /connect/connection/', `authorization: Bearer ${token(claim, filler, length)}`),
  ]),
  ['the length of the method, and of what is no request', ['A', 'GET ', '/', '\r\n', ': '], repeat],
];

describe('what a request costs', () => {
  it.each([...PREFIXES, ...QUERIES])('is linear in the length of %s', async (prefix) => {
    for (const [filler, method] of some(prefix.includes('?') ? IN_QUERIES : IN_PATHS, METHODS))
      await expectLinearRequest(TARGET, (length) => request(`${method} ${prefix}${repeat(filler, length)}`));
  });

  it.each(REQUESTS)('is linear in the length of each header of %s', async (start) => {
    for (const [name, filler] of some(HEADERS, IN_HEADERS))
      await expectLinearRequest(HEADER, (length) => request(start, `${name}: a${repeat(filler, length)}a`));
  });

  it.each(FEW)('is linear in %s', async (_, parts, made) => {
    for (const part of parts) await expectLinearRequest(HEADER, (length) => made(part, length));
  });
});

let counted = 0;

/** Pairs of these: all in `npm run torture`, where machines do nothing else, and other ones in each test. */
function some(ones: readonly string[], others: readonly string[]): [string, string][] {
  const all = ones.flatMap((one) => others.map((other): [string, string] => [one, other]));
  return all.filter(() => counted++ % EVERY === 0);
}

function repeat(filler: string, length: number): string {
  return filler.repeat(Math.max(Math.floor(length / filler.length), 1));
}

/** A token of the issuer; three bytes of its claims are four characters. */
function token(claim: string, filler: string, length: number): string {
  const iss = 'https://issuer.example';
  const claims = { iss, [claim]: `${iss}${repeat(filler, (length - 300) * 0.75)}x` };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'RS256' })}.${encode(claims)}.AAAA`;
}

function request(start: string, ...headers: string[]): string {
  const host = headers.some((header) => header.startsWith('host:')) ? [] : ['host: localhost'];
  const token = headers.some((header) => header.startsWith('authorization:'))
    ? []
    : [`authorization: Bearer ${OPERATOR_TOKEN}`];
  return [`${start} HTTP/1.1`, ...host, ...token, 'connection: close', ...headers, '', ''].join('\r\n');
}

/** Of a request of that length, and of one of twice the length. */
const expectLinearRequest = (length: number, made: (length: number) => string) =>
  expectLinear(length, (length) => sent(made(length)), made(60));

/** Resolves when the request has been answered; this process is client and node. */
async function sent(request: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(request);
  await text(socket).catch(() => 'broken off');
}
