/** A pod server as far as nodes notice. */
import type { Server } from './network.js';

/** A document as a pod stores it; the container itself has no body. */
interface Stored {
  readonly body?: string;
  readonly mediaType: string;
  /** Ms since the Unix epoch, by the server's clock. */
  readonly modified: number;
}

const NOTIFICATIONS = '.notifications/StreamingHTTPChannel2023/';
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';
const AS = 'https://www.w3.org/ns/activitystreams#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const linked = (...names: string[]) => names.map((name) => `<http://www.w3.org/ns/ldp#${name}>; rel="type"`);

type Activity = 'Create' | 'Update' | 'Delete' | 'Add' | 'Remove';
type Line = ReadableStreamDefaultController<Uint8Array>;

export interface PodServer {
  readonly answer: Server;
  /** Ends all lines of notifications: the process has ended. */
  restart(): void;
}

/**
 * One container with documents, answered as by the Community Solid Server 7.2, quirks included. The container's `ETag` does not
 * move when a document in it is edited; a document's is the time of its modification in ms with its media type; deletions answer
 * 205; what is missing answers 404; the notifications of a container tell of members that come and go, and of no edits
 * (Solid Notifications Protocol, StreamingHTTPChannel2023). test/scenario/simulated-pod.test.ts holds it against the real server.
 * @param root URL of the container, with a slash at the end; everything is in it
 * @param now ms since the Unix epoch, by the server's clock
 */
export function createPodServer(root: string, now: () => number): PodServer {
  let container: Stored = { mediaType: 'text/turtle', modified: now() };
  /** By URL, in the order in which they were added. */
  const documents = new Map<string, Stored>();
  /** Those who listen, by what they listen to. */
  const lines = new Map<string, Set<Line>>();
  const stored = (url: string) => (url === root ? container : documents.get(url));
  const dated = () => ({ date: new Date(now()).toUTCString() });

  const answer = (
    status: number,
    headers: Record<string, string> = {},
    body: string | ReadableStream | null = null,
  ) => new Response(body, { status, headers: { ...dated(), ...headers } });

  const read = (url: string, asked: Headers) => {
    const found = stored(url);
    if (!found) return answer(404, { 'content-type': 'text/turtle' });
    const notifications = new URL('/', root).href + NOTIFICATIONS + encodeURIComponent(url);
    const types = url === root ? linked('Container', 'BasicContainer', 'Resource') : linked('Resource');
    const links = [...types, `<${notifications}>; rel="${CHANNEL}"`];
    const headers = {
      ...{ 'content-type': found.mediaType, etag: tagOf(found), link: links.join(', ') },
      'last-modified': new Date(found.modified).toUTCString(),
    };
    if (isUnchanged(asked, found)) return answer(304, headers);
    if (found.body === undefined) return answer(200, headers, listing(root, found, documents));
    return answer(200, { ...headers, 'content-length': `${Buffer.byteLength(found.body)}` }, found.body);
  };

  /** What has happened to a resource; `member`: which member of a container has come or gone. */
  const notification = (topic: string, activity: Activity, member = topic) => {
    const [found, at] = [stored(topic), now()];
    const state =
      found && `    <http://www.w3.org/ns/solid/notifications#state> ${JSON.stringify(tagOf(found))};`;
    return Buffer.from(
      [
        `<urn:${at}:${topic}> <${AS}object> <${member}>;`,
        ...(member === topic ? [] : [`    <${AS}target> <${topic}>;`]),
        ...(state ? [state] : []),
        `    <${AS}published> "${new Date(at).toISOString()}"^^<${XSD}dateTime>;`,
        `    a <${AS}${activity}>.\n\n`,
      ].join('\n'),
    );
  };
  const tell = (topic: string, activity: Activity, member?: string) => {
    for (const line of lines.get(topic) ?? []) line.enqueue(notification(topic, activity, member));
  };
  /** A member has come or gone. */
  const changed = (url: string, activities: readonly [Activity, Activity]) => {
    container = { ...container, modified: now() };
    tell(url, activities[0]);
    tell(root, activities[1], url);
  };

  const put = (url: string, mediaType: string, body: string) => {
    const isNew = !documents.has(url);
    documents.set(url, { body, mediaType, modified: now() });
    if (isNew) changed(url, ['Create', 'Add']);
    else tell(url, 'Update');
    return answer(isNew ? 201 : 205);
  };
  const remove = (url: string) => {
    if (!documents.delete(url)) return answer(404, { 'content-type': 'application/json' });
    changed(url, ['Delete', 'Remove']);
    return answer(205);
  };

  /** Opens a line, which begins with the state that the resource is in. */
  const listen = (topic: string) => {
    const listening = lines.get(topic) ?? new Set();
    lines.set(topic, listening);
    let line: Line;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        line = controller;
        listening.add(line);
        line.enqueue(notification(topic, 'Update'));
      },
      cancel: () => void listening.delete(line),
    });
    return answer(200, { 'content-type': 'text/turtle' }, body);
  };

  return {
    async answer(request) {
      const { url, method, headers } = request;
      const at = url.indexOf(NOTIFICATIONS);
      if (at >= 0) return listen(decodeURIComponent(url.slice(at + NOTIFICATIONS.length)));
      if (method === 'PUT') return put(url, headers.get('content-type') ?? '', await request.text());
      if (method === 'DELETE') return remove(url);
      const response = read(url, headers);
      return method === 'HEAD' ? new Response(null, response) : response;
    },
    restart() {
      for (const line of [...lines.values()].flatMap((all) => [...all])) line.close();
      lines.clear();
    },
  };
}

function tagOf({ modified, mediaType }: Stored): string {
  return `"${modified}-${mediaType}"`;
}

/** RFC 9110, section 13.2.2: a time counts only where no tag is given. */
function isUnchanged(asked: Headers, stored: Stored): boolean {
  const [tags, since] = [asked.get('if-none-match'), asked.get('if-modified-since')];
  if (tags !== null) return tags === tagOf(stored);
  return since !== null && Date.parse(since) >= Math.floor(stored.modified / 1000) * 1000;
}

/** A container in Turtle, with relative IRIs, as the Community Solid Server writes it, but for sizes. */
function listing(root: string, { modified }: Stored, documents: ReadonlyMap<string, Stored>): string {
  const dated = (ms: number) => `dc:modified "${new Date(ms).toISOString()}"^^xsd:dateTime`;
  const members = [...documents].map(([url, { mediaType, modified }]) => {
    const name = `<${url.slice(root.length)}>`;
    const type = `<http://www.w3.org/ns/iana/media-types/${mediaType}#Resource>`;
    return `${name} a ldp:Resource, ${type}; ${dated(modified)}. <> ldp:contains ${name}.`;
  });
  return [
    '@prefix dc: <http://purl.org/dc/terms/>.\n@prefix ldp: <http://www.w3.org/ns/ldp#>.',
    `@prefix xsd: <${XSD}>.`,
    `<> a ldp:Container, ldp:BasicContainer, ldp:Resource; ${dated(modified)}.`,
    ...members,
    '',
  ].join('\n');
}
