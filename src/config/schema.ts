import { domainToASCII } from 'node:url';
import { validate as isCron } from 'node-cron';
import * as z from 'zod';
import { canParseUrl } from '../lib/can-parse-url.js';
import { isAbsoluteIri } from '../lib/iri.js';
import { DEFAULT_VOCABULARY } from './defaults.js';
import { isOwnPath, OWN_SEGMENTS } from './own-paths.js';
import { isHttpUrl } from './url.js';

/**
 * Every key of node.config.json, once: the parser, the faults, the environment variables, the JSON Schema
 * and the table in docs/operators.md are all derived from here. A default and a meaning belong to each key.
 */

const text = (allowed: string, holds: (value: string) => boolean) =>
  z.string({ error: allowed }).refine(holds, { error: allowed });

const whole = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

const flag = () => z.boolean({ error: 'must be true or false' });

const choice = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.map((word) => `"${word}"`).join(', ')}` });

const listOf = <Item extends z.ZodType>(item: Item, what: string) =>
  z.array(item, { error: `must be a list of ${what}` });

const object = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const names = Object.keys(shape).join(', ');
  const error = ({ code }: { readonly code?: string | undefined }) =>
    code === 'unrecognized_keys'
      ? `unknown key; allowed here: ${names}`
      : `must be an object with the keys ${names}`;
  return z.strictObject(shape, { error });
};

/** Keys that belong together; all of them have defaults. */
const section = <Shape extends z.ZodRawShape>(shape: Shape) => object(shape).prefault({} as never);

const url = text(
  'must be an http(s) URL without user name, password and fragment; what no IRI may have is percent-encoded, as %7B for {',
  isHttpUrl,
).meta({ format: 'uri' });

const isBase = (value: string) => isHttpUrl(value) && !/[?<>]|\/$/.test(value);

/** In `baseUrl`, stands for the port that the node listens on; known only later when `listen.port` is 0. */
export const PORT = '<port>';

const baseUrl = text(
  `must be an http(s) URL without trailing slash, query, fragment, user name and password; ${PORT} stands for the port`,
  (value) => isBase(value.replace(`:${PORT}`, ':80')),
).transform(asciiUrl);

/** The URL that an IRI stands for (RFC 3987, section 3.1): header fields name the node, too, and hold no more than ASCII. */
function asciiUrl(iri: string): string {
  return iri
    .replace(/(?<=^\w+:\/\/)[^/:]*[^!-~][^/:]*/, (host) => domainToASCII(host))
    .replace(/[^!-~]+/g, (part) => encodeURIComponent(part));
}

const vocabulary = text(
  'must be an absolute IRI that ends in # or /',
  (value) => /[#/]$/.test(value) && isAbsoluteIri(value) && canParseUrl(value),
);

const mountPoint = text('must be "/" or a path like "/connect" without trailing slash', (value) =>
  /^\/$|^(\/(?!\.{1,2}(\/|$))[\w.~-]+)+$/.test(value),
).refine((value) => !isOwnPath(value), {
  error: ({ input }) =>
    `${JSON.stringify(input)} is where the registry answers (its own paths: ` +
    `${OWN_SEGMENTS.map((segment) => `/${segment}`).join(', ')}); choose another, such as "/connect"`,
});

const hostPattern = text(
  'must be a host name or a pattern like "*.example.org", without scheme and path',
  (value) => /^[^\s/,@?#]+$/.test(value),
);

const variableName = text(
  'must be the name of an environment variable in capitals (POD_CLIENT_SECRET), never the secret itself',
  (value) => /^[A-Z_][A-Z0-9_]*$/.test(value),
);

const auth = object({ id: variableName, secret: variableName, issuer: url.exactOptional() });

/** An entry of a list of sources: an object, or its URL alone. */
const entry = <Shape extends z.ZodRawShape>(shape: Shape, error: string) => {
  const whole = object({ url, ...shape });
  return z.union([url.transform((written) => ({ url: written }) as z.output<typeof whole>), whole], {
    error,
  });
};

const peer = entry({}, 'must be a URL string or { "url" }');
const pod = entry(
  { auth: auth.exactOptional() },
  'must be a URL string or { "url", "auth": { "id", "secret", "issuer" } }',
);

const words = (most: number) =>
  text(
    `must be text of 1 to ${most} characters`,
    (value) => value.trim() !== '' && value.length <= most && value.isWellFormed(),
  );

const purpose = object({
  name: words(100),
  sentence: words(500).exactOptional(),
  contact: words(200).exactOptional(),
  privacy: url.exactOptional(),
});

const iri = text('must be an absolute IRI', (value) => isAbsoluteIri(value) && canParseUrl(value));

export const settings = object({
  baseUrl: baseUrl
    .default(`http://localhost:${PORT}`)
    .describe(
      `public URL of the node without a trailing slash; it may have a path; \`${PORT}\` stands for the port`,
    ),
  listen: section({
    host: text('must be a host name or an IP address', (value) => /^[\w.:%-]+$/.test(value))
      .default('127.0.0.1')
      .describe('address to listen on; `0.0.0.0` or `::` for all'),
    port: whole(0, 65535).default(3000).describe('port to listen on; `0` takes any free one'),
  }),
  dataDir: text('must be a path', (value) => value.trim() !== '' && !value.includes('\0'))
    .default('./data')
    .describe('where data is stored; relative to the configuration file'),
  store: section({
    engine: choice(['disk', 'postgres'])
      .default('disk')
      .describe('`disk`: in `dataDir`; `postgres`: in a database for several nodes'),
    connections: whole(4, 1000).default(10).describe('with `postgres`: most connections'),
    statementSeconds: whole(1, 3600)
      .default(30)
      .describe('with `postgres`: seconds for one statement; at most ten in a commit'),
  }),
  vocabulary: vocabulary
    .default(DEFAULT_VOCABULARY)
    .describe('`{vocab_base}#` of the specification; existing pods use the default'),
  mode: choice(['registry', 'mirror'])
    .default('registry')
    .describe('`registry`, or `mirror`: serves what its peers serve, reads no pods, takes no writes'),
  write: choice(['off', 'open', 'operator'])
    .default('off')
    .describe(
      'who may write: nobody (`off`), anyone (`open`), or whoever has the operator token (`operator`)',
    ),
  insecureOpenWrite: flag()
    .default(false)
    .describe('allow `write: "open"` when `listen.host` is not loopback'),
  peers: listOf(peer, 'URLs of nodes')
    .prefault([])
    .describe('trusted nodes, in order of precedence: URLs or `{ "url" }`'),
  pods: listOf(pod, 'URLs of pods')
    .prefault([])
    .describe(
      'trusted pods (containers or documents), in order of precedence: URLs or `{ "url", "auth" }`; ' +
        '`auth` is `{ "id", "secret", "issuer" }`',
    ),
  sync: section({
    schedule: text('must be a cron expression of five fields, or six with seconds first', isCron)
      .default('*/5 * * * *')
      .describe('when sources are polled: a cron expression, with seconds first where it has six fields'),
    concurrency: whole(1, 256)
      .default(8)
      .describe('polls at once, at most 2 per host; learned sources get at most half'),
    timeoutSeconds: whole(1, 3600).default(30).describe('seconds for one request'),
    maxBytes: whole(1, 2_000_000_000).default(10_000_000).describe('bytes of one body'),
    maxDocuments: whole(1, 10_000_000).default(10_000).describe('documents read of one pod'),
    maxComponents: whole(1, 10_000_000)
      .default(100_000)
      .describe('components stored of one source, with 512 bytes of text each on average'),
    streams: whole(0, 10_000)
      .default(200)
      .describe('most streams of hints from pods and peers; `0`: polling only'),
    maxLearnedComponents: whole(0, 10_000_000)
      .default(30_000)
      .describe('the same, of all learned sources together'),
  }),
  discovery: section({
    depth: whole(0, 16)
      .default(3)
      .describe('how many hops sources are learned; `0`: configured sources only'),
    allow: listOf(hostPattern, 'host patterns')
      .default([])
      .describe('hosts that may be learned (`*.example.org`); when not empty, only these'),
    deny: listOf(hostPattern, 'host patterns')
      .default([])
      .describe('hosts that are never learned; wins over `allow`'),
    approve: flag()
      .default(false)
      .describe('learn nothing until the operator approves it (`POST /discovery`)'),
    maxPeers: whole(0, 100_000).default(100).describe('most learned peers'),
    maxPods: whole(0, 1_000_000).default(1_000).describe('most learned pods'),
  }),
  pins: choice(['configured', 'all', 'off'])
    .default('configured')
    .describe(
      'which modules are fetched to store their hash: those posted here or described by configured sources ' +
        '(`configured`), `all`, or none (`off`)',
    ),
  network: section({
    allowPrivate: flag()
      .default(false)
      .describe('allow learned URLs to resolve to private or loopback addresses; configured ones may'),
  }),
  limits: section({
    bodyBytes: whole(1, 1_000_000_000).default(1_000_000).describe('bytes of a request body'),
    // A post is one commit, and a commit takes no more.
    batch: whole(1, 10_000).default(1_000).describe('components in one POST, at most 10,000'),
    eventLines: whole(0, 100_000).default(1_000).describe('most streams of hints (`GET /feed`) to followers'),
  }),
  log: section({
    level: choice(['error', 'warn', 'info', 'debug', 'silent'])
      .default('info')
      .describe('least level that is logged; polls that change nothing are `debug`'),
  }),
  connection: section({
    enabled: flag().exactOptional().meta({
      default: true,
      description: 'offer the connection service; on a mirror the default is `false`',
    }),
    path: mountPoint
      .default('/')
      .describe("mount point of the connection service; none of the registry's own paths"),
    issuers: listOf(url, 'URLs of OIDC issuers')
      .default([])
      .describe('OIDC issuers whose JWTs the connection service accepts'),
  }),
  invites: section({
    purposes: z
      .record(iri, purpose, { error: 'must be an object whose keys are absolute IRIs, of purposes' })
      .default({})
      .describe(
        'what invites say of a purpose, by its IRI: `name`, and optionally `sentence`, `contact` and `privacy` (a URL)',
      ),
  }),
});

export type Settings = z.output<typeof settings>;
