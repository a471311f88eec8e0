import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ClassicLevel } from 'classic-level';

/**
 * Writes the data directory of a node as earlier programs did, byte for byte, without anything of `src/`: layouts and checksums,
 * the token, the link and the digest are those of the last 0.1.0 (commit e2825a51), taken from what it had written and answered.
 */
export const EARLIER_BASE = 'http://node.example';

/** It is good until 2036. */
export const EARLIER_TOKEN =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzY29wZSI6IndyaXRlIiwiaXNzIjoidXJuOmNvbXBvbmVudC1yZWdpc3RyeTpjb25uZWN0aW9uIiwiYXVkIjoidXJuOmNvbXBvbmVudC1yZWdpc3RyeTpjb25uZWN0aW9uIiwic3ViIjoiaHR0cHM6Ly9hbm4uZXhhbXBsZS8jbWUiLCJpYXQiOjE3OTU0NDIwMjksImV4cCI6MjExMDgwMjAyOX0.XzoNvD5a_9qWFESe958Qu4YBplvtOhQ8hOdzlD5DYjw';
const SECRET = 'WE-vadVdEr-eMeFQhO6A_NzHbTyp-dYkJuMDnZZljRU';

/** The path of the invite's link, which is good until 2100. */
export const EARLIER_LINK =
  '/invite/http%3A%2F%2Fnode.example%2Finvite%2Fb214edff-b871-428d-8cef-6234ee57088b/accept?expires=4102444800000&signature=K1cTQ40n8Gdo19CPz8-IjfdKloXc82xfGZlAL1Gt1Qg';

const VOC = 'http://semcom.digita.ai/voc#';
const LOCAL = 'urn:registry:local';
const BOOLEAN = 'http://www.w3.org/2001/XMLSchema#boolean';

type Said = Readonly<Record<string, string | boolean | readonly string[]>>;

/** What was posted, by position; what had the positions between was posted anew, or withdrawn. */
export const EARLIER_SAID = new Map<number, Said & { readonly uri: string }>([
  [
    4,
    {
      uri: 'https://c.example/own-2.js?a=b&c=%20',
      label: 'Own',
      description: 'It says "é" \\ and\n a line \u2028 more',
      version: '2.0.0',
      latest: true,
      author: ['https://ann.example/#me'],
      tag: ['own-card'],
      shapes: ['http://schema.org/Person', 'https://schema.org/Event'],
    },
  ],
  [6, { uri: 'https://c.example/card.js', label: 'The node says this', shapes: ['https://s.example/Card'] }],
  [
    13,
    {
      uri: 'https://c.example/own.js',
      label: 'Own',
      description: 'Said a second time',
      version: '1.0.0',
      latest: false,
      tag: ['own-card'],
    },
  ],
  [18, { uri: 'https://c.example/after-a-restart.js', label: 'After' }],
]);

/** The digest that the last 0.1.0 answered of these statements. */
export const EARLIER_DIGEST = 'fa7b36fca83715691961a7f0ba207f60';

/** Of a module, as it was seen for what was posted. */
export const EARLIER_HASH = `sha384-${'A'.repeat(64)}`;

const WITHDRAWN = { position: 14, uri: 'https://c.example/withdrawn.js' };
/** 23 November 2026, in ms. */
export const EARLIER_TIME = 1_795_441_723_515;

type Pair = readonly [key: string, text: string];

/** `layout`: 4 (all of 0.1.0), 5 or 6 (0.2.0 until 23 November 2026) of the registry. The connections had one. */
export async function writeEarlierData(directory: string, layout: 4 | 5 | 6): Promise<void> {
  await mkdir(directory, { recursive: true });
  const key = JSON.stringify({ version: 1, secret: SECRET });
  await writeFile(join(directory, 'connection-key.json'), key, { mode: 0o600 });
  await writePairs(join(directory, 'registry'), layout, registryPairs(layout));
  await writePairs(join(directory, 'connection'), 2, CONNECTION);
}

async function writePairs(directory: string, layout: number, pairs: readonly Pair[]): Promise<void> {
  const level = new ClassicLevel<string, string>(directory);
  await level.open();
  for (const [key, text] of [['!meta!sealed', 'true'] as const, ...pairs])
    await level.put(key, sealed(key, text));
  await level.put('!meta!schema', String(layout));
  await level.close();
}

/** With its checksum: CRC-32 in six characters. */
function sealed(key: string, text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const crc = crc32(text === '' ? key : `${key}\n${text}`);
  const shifts = [
    [crc >>> 26, crc >>> 20],
    [crc >>> 14, crc >>> 8],
    [(crc & 255) >>> 6, crc],
  ];
  return `~${shifts
    .flat()
    .map((digit) => alphabet[digit & 63])
    .join('')}${text}`;
}

function registryPairs(layout: number): Pair[] {
  const revision = { epoch: '10nnbgmy1om', number: 9, since: EARLIER_TIME };
  const feed = { position: 18, at: EARLIER_TIME, floor: 0, states: 0 };
  const writtenAs = JSON.stringify([2, EARLIER_BASE, VOC]);
  const pinned = { uri: 'https://c.example/own.js', version: '1.0.0' };
  const seen = {
    source: { kind: 'local', url: LOCAL },
    document: LOCAL,
    first: EARLIER_HASH,
    last: EARLIER_HASH,
  };
  const pin = layout === 4 ? { ...pinned, integrity: EARLIER_HASH } : { ...pinned, ...seen };
  const removed = { source: `local ${LOCAL}`, document: LOCAL, uri: WITHDRAWN.uri, at: EARLIER_TIME };
  const pairs: Pair[] = [
    ['!meta!feed', JSON.stringify(feed)],
    ['!meta!revision', JSON.stringify(revision)],
    ['!meta!statements', JSON.stringify({ writtenAs, count: EARLIER_SAID.size })],
    ['!meta!vocabulary', JSON.stringify(VOC)],
    [`!graph!${LOCAL}`, '1'],
    [`!tombstone!${digits(WITHDRAWN.position)}`, JSON.stringify(removed)],
    // Release 0.1.0 took promises of anybody for pins; later ones keep what they have seen.
    [
      `!${layout === 4 ? 'pin' : 'seen'}!${pin.uri} ${pin.version}`,
      JSON.stringify({ ...pin, since: 1, checked: 2 }),
    ],
  ];
  for (const [position, said] of EARLIER_SAID) {
    const key = `${said.uri} 1`;
    pairs.push([`!statement!${key}`, statementText(position, said)]);
    if (layout >= 6) pairs.push([`!change!${digits(position)}`, key]);
    for (const quad of quadsOf(said)) pairs.push([quad, '']);
  }
  return pairs;
}

const digits = (number: number) => number.toString(36).padStart(9, '0');
const hexadecimal = (number: number) => number.toString(16).padStart(8, '0');

/** Position and time; where the plain JSON begins, and how long its end is that queries read; the object of the listing. */
function statementText(position: number, said: Said): string {
  const entries = Object.entries(said);
  const values = (value: Said[string]) => {
    if (typeof value === 'boolean') return [{ '@value': String(value), '@type': BOOLEAN }];
    return [value].flat().map((one) => ({ '@id': one }));
  };
  const linked = {
    '@id': `${EARLIER_BASE}/c/${said.uri}`,
    '@type': [`${VOC}component`],
    ...Object.fromEntries(entries.map(([field, value]) => [VOC + field, values(value)])),
  };
  const text = JSON.stringify({ ...linked, ...said });
  const facets = ['version', 'latest', 'author', 'tag', 'shapes'].find((field) => field in said);
  const plain = text.indexOf('"uri":"');
  const end = facets === undefined ? 1 : text.length - text.indexOf(`"${facets}":`, plain);
  return `p${digits(position)}${digits(EARLIER_TIME)}c${hexadecimal(plain)}${hexadecimal(end)}${text}`;
}

/** The keys of quadstore's index: graph, subject, predicate and object, then their kinds and lengths, and how long that is. */
function quadsOf(said: Said): string[] {
  const uri = String(said.uri);
  const length = (text: string) => text.length.toString(36).padStart(4, '0');
  const quad = (predicate: string, object: string, objectLength: string) => {
    const lengths = `${[LOCAL, uri, predicate].map((one) => `0${length(one)}`).join('')}${objectLength}`;
    const end = `${lengths}${lengths.length.toString(36).padStart(5, '0')}`;
    return ['GSPO', LOCAL, uri, predicate, object, end].join('\0\0');
  };
  const value = (field: string, one: string | boolean) => {
    if (typeof one === 'boolean')
      return quad(VOC + field, `${BOOLEAN}\0\0${one}`, `2${length(String(one))}${length(BOOLEAN)}`);
    return quad(VOC + field, one, `${field === 'uri' || field === 'shapes' ? 0 : 3}${length(one)}`);
  };
  const type = `${VOC}component`;
  return [
    quad('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', type, `0${length(type)}`),
    ...Object.entries(said).flatMap(([field, values]) => [values].flat().map((one) => value(field, one))),
  ];
}

const INVITE = 'http://node.example/invite/b214edff-b871-428d-8cef-6234ee57088b';
const CONNECTED = 'http://node.example/connection/931ee15a-a240-40c2-9624-e10382fdc94e';
const CONNECTION: readonly Pair[] = [
  [
    `!connection!${CONNECTED}`,
    JSON.stringify({
      seq: 1,
      record: {
        configuration: { accessToken: 'abc' },
        state: 'CONNECTED',
        source: 'https://ann.example/card.ttl',
        holder: 'https://ann.example/#me',
        uri: CONNECTED,
      },
    }),
  ],
  [
    `!invite!${INVITE}`,
    JSON.stringify({
      seq: 2,
      record: {
        uri: INVITE,
        exchange: null,
        holder: 'https://ann.example/#me',
        state: 'not linked',
        purpose: 'https://research.example/sleep',
        connection: null,
        created: '1795442029427',
        expires: '4102444800000',
        accepted: null,
        inviter: null,
      },
    }),
  ],
];
