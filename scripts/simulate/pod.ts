/** A pod server as far as nodes notice. */
import type { Server } from './network.js';

/** A document as a pod stores it. */
interface StoredDocument {
  readonly body: string;
  readonly mediaType: string;
  /** Ms since the Unix epoch, by the server's clock. */
  readonly modified: number;
}

const NOTIFICATIONS = '.notifications/StreamingHTTPChannel2023/';
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';
const AS = 'https://www.w3.org/ns/activitystreams#';
const RESOURCE_LINK = '<http://www.w3.org/ns/ldp#Resource>; rel="type"';
const CONTAINER_LINKS = `<http://www.w3.org/ns/ldp#Container>; rel="type", <http://www.w3.org/ns/ldp#BasicContainer>; rel="type", ${RESOURCE_LINK}`;

type Activity = 'Create' | 'Update' | 'Delete' | 'Add' | 'Remove';

/**
 * One container with documents, answered as by the Community Solid Server 7.2, quirks included. The container's `ETag` does not
 * move when a document in it is edited; a document's is the time of its modification in ms with its media type; deletions answer
 * 205; what is missing answers 404; the notifications of a container tell of members that come and go, and of no edits
 * (Solid Notifications Protocol, StreamingHTTPChannel2023). test/scenario/simulated-pod.test.ts holds it against the real server.
 */
export class SimulatedPodServer {
  readonly #root: string;
  readonly #now: () => number;
  #modified: number;
  /** By URL, in the order in which they were added. */
  readonly #documents = new Map<string, StoredDocument>();
  /** Those who listen, by what they listen to. */
  readonly #lines = new Map<string, Set<ReadableStreamDefaultController<Uint8Array>>>();

  /**
   * @param root URL of the container, with a slash at the end; everything is in it
   * @param now ms since the Unix epoch, by the server's clock
   */
  constructor(root: string, now: () => number) {
    [this.#root, this.#now, this.#modified] = [root, now, now()];
  }

  /** Ends all lines of notifications: the process has ended. */
  restart(): void {
    for (const lines of this.#lines.values()) for (const line of lines) line.close();
    this.#lines.clear();
  }

  readonly answer: Server = async (request) => {
    const { url, method, headers } = request;
    const at = url.indexOf(NOTIFICATIONS);
    if (at >= 0) return this.#listen(decodeURIComponent(url.slice(at + NOTIFICATIONS.length)));
    if (method === 'PUT') return this.#put(url, headers.get('content-type') ?? '', await request.text());
    if (method === 'DELETE') return this.#delete(url);
    const response = this.#read(url, headers);
    return method === 'HEAD' ? new Response(null, response) : response;
  };

  #read(url: string, asked: Headers): Response {
    const stored = this.#stored(url);
    if (!stored) return this.#missing('text/turtle');
    const { modified, mediaType } = stored;
    const isContainer = url === this.#root;
    const links = [isContainer ? CONTAINER_LINKS : RESOURCE_LINK, this.#channelLink(url)];
    const headers = new Headers({
      ...{ ...this.#dated(), 'content-type': mediaType, etag: tagOf(stored), link: links.join(', ') },
      'last-modified': new Date(modified).toUTCString(),
    });
    if (isUnchanged(asked, stored)) return new Response(null, { status: 304, headers });
    const body = stored.body ?? listing(this.#root, modified, this.#documents);
    if (!isContainer) headers.set('content-length', String(Buffer.byteLength(body)));
    return new Response(body, { headers });
  }

  #missing(mediaType: string): Response {
    return new Response('', { status: 404, headers: { ...this.#dated(), 'content-type': mediaType } });
  }

  #put(url: string, mediaType: string, body: string): Response {
    const modified = this.#now();
    const isNew = !this.#documents.has(url);
    this.#documents.set(url, { body, mediaType, modified });
    if (isNew) this.#modified = modified;
    this.#tell(url, isNew ? 'Create' : 'Update');
    if (isNew) this.#tell(this.#root, 'Add', url);
    return new Response(null, { status: isNew ? 201 : 205, headers: this.#dated() });
  }

  #delete(url: string): Response {
    if (!this.#documents.delete(url)) return this.#missing('application/json');
    this.#modified = this.#now();
    this.#tell(url, 'Delete');
    this.#tell(this.#root, 'Remove', url);
    return new Response(null, { status: 205, headers: this.#dated() });
  }

  /** The container has no body of its own: its listing is made when it is read. */
  #stored(url: string): (Omit<StoredDocument, 'body'> & { readonly body?: string }) | undefined {
    if (url === this.#root) return { modified: this.#modified, mediaType: 'text/turtle' };
    return this.#documents.get(url);
  }

  #dated(): Record<string, string> {
    return { date: new Date(this.#now()).toUTCString() };
  }

  #channelLink(url: string): string {
    return `<${new URL('/', this.#root).href}${NOTIFICATIONS}${encodeURIComponent(url)}>; rel="${CHANNEL}"`;
  }

  /** Opens a line, which begins with the state that the resource is in. */
  #listen(topic: string): Response {
    const lines = this.#lines.get(topic) ?? new Set();
    this.#lines.set(topic, lines);
    let line: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        line = controller;
        lines.add(line);
        line.enqueue(this.#notification(topic, 'Update'));
      },
      cancel: () => void lines.delete(line),
    });
    return new Response(body, { headers: { ...this.#dated(), 'content-type': 'text/turtle' } });
  }

  /** Something has happened to a resource; `member`: which member of a container has come or gone. */
  #tell(topic: string, activity: Activity, member?: string): void {
    const lines = this.#lines.get(topic) ?? [];
    for (const line of lines) line.enqueue(this.#notification(topic, activity, member));
  }

  #notification(topic: string, activity: Activity, member = topic): Uint8Array {
    const now = this.#now();
    const stored = this.#stored(topic);
    const lines = [
      `<urn:${now}:${topic}> <${AS}object> <${member}>;`,
      ...(member === topic ? [] : [`    <${AS}target> <${topic}>;`]),
      ...(stored
        ? [`    <http://www.w3.org/ns/solid/notifications#state> ${JSON.stringify(tagOf(stored))};`]
        : []),
      `    <${AS}published> "${new Date(now).toISOString()}"^^<http://www.w3.org/2001/XMLSchema#dateTime>;`,
      `    a <${AS}${activity}>.\n\n`,
    ];
    return Buffer.from(lines.join('\n'));
  }
}

function tagOf({ modified, mediaType }: Omit<StoredDocument, 'body'>): string {
  return `"${modified}-${mediaType}"`;
}

/** RFC 9110, section 13.2.2: a time counts only where no tag is given. */
function isUnchanged(asked: Headers, stored: Omit<StoredDocument, 'body'>): boolean {
  const [tags, since] = [asked.get('if-none-match'), asked.get('if-modified-since')];
  if (tags !== null) return tags === tagOf(stored);
  return since !== null && Date.parse(since) >= Math.floor(stored.modified / 1000) * 1000;
}

const PREFIXES = `@prefix dc: <http://purl.org/dc/terms/>.
@prefix ldp: <http://www.w3.org/ns/ldp#>.
@prefix xsd: <http://www.w3.org/2001/XMLSchema#>.`;

/** A container in Turtle, with relative IRIs, as the Community Solid Server writes it, but for sizes. */
function listing(root: string, modified: number, documents: ReadonlyMap<string, StoredDocument>): string {
  const dated = (ms: number) => `dc:modified "${new Date(ms).toISOString()}"^^xsd:dateTime`;
  const members = [...documents].map(([url, { mediaType, modified }]) => {
    const name = `<${url.slice(root.length)}>`;
    const type = `<http://www.w3.org/ns/iana/media-types/${mediaType}#Resource>`;
    return `${name} a ldp:Resource, ${type}; ${dated(modified)}. <> ldp:contains ${name}.`;
  });
  const container = `<> a ldp:Container, ldp:BasicContainer, ldp:Resource; ${dated(modified)}.`;
  return [PREFIXES, container, ...members, ''].join('\n');
}
