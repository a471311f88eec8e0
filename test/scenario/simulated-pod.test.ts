import { Parser } from 'n3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLinks } from '../../src/lib/http/headers/link-header.js';
import { createPodServer } from '../support/pod/modelled-pod.js';
import type { Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { waitFor } from '../support/wait-for.js';

interface Sent {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** A pod that somebody reads, and its owner writes: the real one, or that of simulations. */
interface TriedPod {
  readonly root: string;
  send(url: string, sent: Sent): Promise<Response>;
  close(): void;
}

const ACCEPT = { accept: 'text/turtle, application/ld+json;q=0.9' };
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';
const MODIFIED = 'http://purl.org/dc/terms/modified';

function simulatedPod(root: string): TriedPod {
  let now = Date.UTC(2030, 0, 1, 0, 0, 0, 123);
  // Like the real server, it never sees the same time twice.
  const server = createPodServer(root, () => ++now);
  return { root, send: (url, sent) => server.answer(new Request(url, sent)), close: () => server.restart() };
}

function realPod(pod: Pod, root: string): TriedPod {
  const closing = new AbortController();
  const isWrite = ({ method }: Sent) => method === 'PUT' || method === 'DELETE';
  return {
    root,
    send: (url, sent) =>
      isWrite(sent) ? pod.fetch(url, sent) : fetch(url, { ...sent, signal: closing.signal }),
    close: () => closing.abort(),
  };
}

async function write({ root, send }: TriedPod, name: string, body?: string): Promise<number> {
  const headers = { 'content-type': 'text/turtle' };
  const sent = body === undefined ? { method: 'DELETE', headers } : { method: 'PUT', headers, body };
  const answer = await send(root + name, sent);
  await answer.text();
  return answer.status;
}

/** Gives times and tags names in the order in which they come up, so that those of two servers can be compared. */
class Naming {
  readonly #names = new Map<string, string>();

  /** A container and the member that was added last may have the same time, or not. */
  of(ms: string, isContainer: boolean): string {
    const key = `${isContainer ? 'container' : 'document'} ${ms}`;
    const name = this.#names.get(key) ?? `time ${this.#names.size + 1}`;
    this.#names.set(key, name);
    return name;
  }
}

/** What nodes see of an answer, with times by name. */
async function seen(answer: Response, naming: Naming, root: string, isContainer: boolean) {
  const { status, headers } = answer;
  const text = await answer.text();
  const tag = headers.get('etag');
  const links = parseLinks(headers.get('link'))
    .filter(({ relations }) => relations.includes('type') || relations.includes(CHANNEL))
    .filter(() => status < 400)
    .map(({ target, relations }) => `${relations} ${target}`);
  return {
    status,
    type: headers.get('content-type'),
    tag: tag?.replace(/\d{13}/, (ms) => naming.of(ms, isContainer)) ?? null,
    isDated: headers.has('last-modified') && Date.parse(headers.get('date') ?? '') > 0,
    links: status === 304 ? [] : links.sort(),
    length: status === 200 ? headers.get('content-length') : null,
    triples: status === 200 ? triples(text, naming, root) : [],
  };
}

function triples(text: string, naming: Naming, root: string): string[] {
  return (
    new Parser({ baseIRI: root, format: 'text/turtle' })
      .parse(text)
      // What the file system of the real one says, which nodes do not look at.
      .filter(({ predicate }) => !predicate.value.startsWith('http://www.w3.org/ns/posix/stat#'))
      // Servers list members in any order, and times get their names in this one.
      .sort((one, other) => (one.subject.value < other.subject.value ? -1 : 1))
      .map(({ subject, predicate, object }) => {
        const isTime = predicate.value === MODIFIED;
        const value = isTime
          ? naming.of(String(Date.parse(object.value)), subject.value === root)
          : object.value;
        return `${subject.value} ${predicate.value} ${value}`;
      })
      .sort()
  );
}

/** The requests of nodes, in all the states that a pod goes through, and what comes of them. */
async function exchanges(pod: TriedPod): Promise<unknown[]> {
  const { root } = pod;
  const naming = new Naming();
  const results: unknown[] = [];
  const ask = async (method: string, name: string, headers: Record<string, string> = ACCEPT) => {
    const answer = await pod.send(root + name, { method, headers });
    results.push([method, name, await seen(answer, naming, root, name === '')]);
    return answer.headers;
  };
  const known = async (name: string) => {
    const answered = await ask('GET', name);
    return {
      tag: { ...ACCEPT, 'if-none-match': answered.get('etag') ?? '' },
      time: { ...ACCEPT, 'if-modified-since': answered.get('last-modified') ?? '' },
    };
  };
  const container = await known('');
  const document = await known('a.ttl');
  for (const name of ['', 'a.ttl']) await ask('HEAD', name);
  await ask('GET', '', container.tag);
  for (const headers of [document.tag, document.time, { ...document.tag, ...document.time }])
    await ask('GET', 'a.ttl', headers);
  await ask('GET', 'a.ttl', { ...ACCEPT, 'if-none-match': '"1-text/turtle"' });
  await ask('GET', 'none.ttl');

  results.push(await write(pod, 'a.ttl', '<#a> a <http://x.example/edited> .'));
  await ask('GET', '', container.tag);
  await ask('GET', '');
  await ask('GET', 'a.ttl', document.tag);

  results.push(await write(pod, 'b.ttl'));
  await ask('GET', '', container.tag);
  await ask('GET', 'b.ttl');
  results.push(await write(pod, 'b.ttl'));
  results.push(await write(pod, 'c.ttl', '<#c> a <http://x.example/new> .'));
  await ask('GET', '');
  return results;
}

/** What is told on the notifications of the container and of a document, for each thing that happens. */
async function notifications(pod: TriedPod): Promise<unknown[]> {
  const { root } = pod;
  const told: string[] = [];
  for (const name of ['', 'a.ttl']) {
    const { headers } = await pod.send(root + name, { method: 'HEAD', headers: {} });
    const { target = '' } =
      parseLinks(headers.get('link')).find(({ relations }) => relations.includes(CHANNEL)) ?? {};
    const { body } = await pod.send(target, { method: 'GET', headers: {} });
    void listen(body ?? [], (text) => told.push(`${name}: ${text}`));
  }
  const results: unknown[] = [];
  const hear = async (count: number) => {
    await waitFor(() => told.length >= count || undefined, { describe: `${count} notifications` });
    results.push(told.splice(0).sort());
  };
  await hear(2);
  await write(pod, 'a.ttl', '<#a> a <http://x.example/again> .');
  await hear(1);
  await write(pod, 'd.ttl', '<#d> a <http://x.example/d> .');
  await hear(1);
  await write(pod, 'd.ttl');
  await hear(1);
  await write(pod, 'a.ttl');
  await hear(2);
  pod.close();
  return results;
}

async function listen(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  tell: (text: string) => void,
): Promise<void> {
  try {
    for await (const piece of body) {
      const text = Buffer.from(piece).toString();
      const [, object] = /activitystreams#object> <([^>]*)>/.exec(text) ?? [];
      tell(`${/a <https:\/\/www.w3.org\/ns\/activitystreams#(\w+)>/.exec(text)?.[1]} ${object}`);
    }
  } catch {
    // The test is over, and the line with it.
    tell('the end');
  }
}

async function furnish(pod: TriedPod): Promise<void> {
  for (const name of ['a', 'b'])
    expect(await write(pod, `${name}.ttl`, `<#${name}> a <http://x.example/c> .`)).toBe(201);
}

describe('the pod of simulations', () => {
  let real: TriedPod;
  let simulated: TriedPod;
  beforeAll(async () => {
    const pod = await sharedPod();
    const root = `${pod.url}simulated/public/`;
    real = realPod(pod, root);
    simulated = simulatedPod(root);
    for (const tried of [real, simulated]) await furnish(tried);
    await pod.makePublic('simulated/public/');
  });
  afterAll(() => real.close());

  it('answers every request of a node as the real server does', async () => {
    const [expected, found] = [await exchanges(real), await exchanges(simulated)];
    expect(found).toEqual(expected);
  });

  it('tells of changes as the real server does', async () => {
    expect(await notifications(simulated)).toEqual(await notifications(real));
  });
});
