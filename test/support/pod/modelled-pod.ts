/** A pod server as far as nodes notice: the one of simulated networks, and what the fake pod of tests answers like. */

/** A document as a pod stores it; the container itself has no body. */
interface Stored {
  readonly body?: string;
  readonly mediaType: string;
  /** Ms since the Unix epoch, by the server's clock. */
  readonly modified: number;
}

type Dated = Pick<Stored, 'mediaType' | 'modified'>;

const NOTIFICATIONS = '.notifications/StreamingHTTPChannel2023/';
const CHANNEL = 'http://www.w3.org/ns/solid/terms#updatesViaStreamingHttp2023';
const AS = 'https://www.w3.org/ns/activitystreams#';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
const linked = (...names: string[]) => names.map((name) => `<http://www.w3.org/ns/ldp#${name}>; rel="type"`);

type Activity = 'Create' | 'Update' | 'Delete' | 'Add' | 'Remove';
type Line = ReadableStreamDefaultController<Uint8Array>;

export interface PodServer {
  readonly answer: (request: Request) => Promise<Response>;
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
  const members = () => [...documents].map(([url, stored]) => [url.slice(root.length), stored] as const);

  const answer = (
    status: number,
    headers: Record<string, string> = {},
    body: string | ReadableStream | null = null,
  ) => new Response(body, { status, headers: { date: new Date(now()).toUTCString(), ...headers } });

  const read = (url: string, asked: Headers) => {
    const found = stored(url);
    if (!found) return answer(404, { 'content-type': 'text/turtle' });
    const notifications = new URL('/', root).href + NOTIFICATIONS + encodeURIComponent(url);
    const types = url === root ? linked('Container', 'BasicContainer', 'Resource') : linked('Resource');
    const links = [...types, `<${notifications}>; rel="${CHANNEL}"`];
    const headers = { 'content-type': found.mediaType, link: links.join(', '), ...validatorsOf(found) };
    if (isUnchanged(found, Object.fromEntries(asked))) return answer(304, headers);
    if (found.body === undefined) return answer(200, headers, listing(members(), found.modified));
    return answer(200, { ...headers, 'content-length': `${Buffer.byteLength(found.body)}` }, found.body);
  };

  /** What has happened to a resource; `member`: which member of a container has come or gone. */
  const notification = (topic: string, activity: Activity, member = topic) => {
    const [found, at] = [stored(topic), now()];
    const state =
      found &&
      `    <http://www.w3.org/ns/solid/notifications#state> ${JSON.stringify(validatorsOf(found).etag)};`;
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

/** What a node may ask with later, whether something has changed. */
export function validatorsOf({ modified, mediaType }: Dated) {
  return { etag: `"${modified}-${mediaType}"`, 'last-modified': new Date(modified).toUTCString() };
}

/** RFC 9110, section 13.2.2: a time counts only where no tag is given. */
export function isUnchanged(stored: Dated, asked: Readonly<Record<string, unknown>>): boolean {
  const { 'if-none-match': tag, 'if-modified-since': since } = asked;
  if (tag !== undefined) return tag === validatorsOf(stored).etag;
  return since !== undefined && Date.parse(String(since)) >= Math.floor(stored.modified / 1000) * 1000;
}

const PREFIXES = [
  '@prefix dc: <http://purl.org/dc/terms/>.\n@prefix ldp: <http://www.w3.org/ns/ldp#>.',
  `@prefix xsd: <${XSD}>.`,
];
const dated = (ms: number) => `dc:modified "${new Date(ms).toISOString()}"^^xsd:dateTime`;

/**
 * A container in Turtle, with relative IRIs, as the Community Solid Server writes it, but for sizes.
 * @param modified of the container
 * @param members by their names; of those below another container, and where a server tells less, something is missing
 */
export function listing(members: Iterable<readonly [string, Partial<Dated>]>, modified?: number): string {
  const said = (...facts: (string | false)[]) => facts.filter((fact) => fact !== false).join('; ');
  const lines = [...members].map(([name, { mediaType, modified }]) => {
    const kind = name.endsWith('/') ? 'Container' : 'Resource';
    const type = mediaType !== undefined && `a <http://www.w3.org/ns/iana/media-types/${mediaType}#Resource>`;
    const facts = said(`a ldp:${kind}`, type, modified !== undefined && dated(modified));
    return `<${name}> ${facts}. <> ldp:contains <${name}>.`;
  });
  const container = 'a ldp:Container, ldp:BasicContainer, ldp:Resource';
  return [
    ...PREFIXES,
    `<> ${said(container, modified !== undefined && dated(modified))}.`,
    ...lines,
    '',
  ].join('\n');
}
