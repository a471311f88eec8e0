import type { VirtualServer, WireAnswer, WireRequest } from '../network/wire.js';
import { NO_BODY } from '../network/wire.js';
import { listing } from './container-listing.js';
import { announced, Notifications } from './notifications.js';
import type { StoredDocument } from './stored-document.js';

export interface LdpServerOptions {
  /** With a slash at the end. Everything is below it. */
  readonly root: string;
  /** Ms since the Unix epoch, by the server's clock. */
  readonly now: () => number;
}

interface Container {
  modified: number;
  /** By name; in the order in which they were added. */
  readonly documents: Map<string, StoredDocument>;
}

/**
 * A pod server as far as nodes notice: one container with documents, answered as by the Community Solid Server 7.2, quirks
 * included. The container's `ETag` does not move when a document in it is edited; a document's is the time of its
 * modification in ms with its media type; deletions answer 205; what is missing answers 404; the notifications of a container tell
 * of members that come and go, and of no edits. test/scenario/simulated-pod.test.ts holds it against the real server.
 */
export class LdpServer implements VirtualServer {
  readonly #options: LdpServerOptions;
  readonly #container: Container;
  readonly #notifications: Notifications;

  constructor(options: LdpServerOptions) {
    this.#options = options;
    this.#container = { modified: options.now(), documents: new Map() };
    this.#notifications = new Notifications(options);
  }

  /** URL of the container, with a slash at the end. */
  get url(): string {
    return this.#options.root;
  }

  /** What is stored, by URL. */
  get documents(): ReadonlyMap<string, StoredDocument> {
    const { documents } = this.#container;
    return new Map([...documents].map(([name, document]) => [this.url + name, document]));
  }

  /** Ends all lines of notifications: the process has ended. */
  restart(): void {
    this.#notifications.endAll();
  }

  async answer(request: WireRequest): Promise<WireAnswer> {
    const url = request.origin + request.target;
    const topic = announced(url);
    if (topic !== undefined) return this.#notifications.open(topic, this.#tagOf(topic));
    if (request.method === 'PUT') return this.#put(url, request);
    if (request.method === 'DELETE') return this.#delete(url);
    const answer = url === this.url ? this.#list(request) : this.#read(url, request);
    return request.method === 'HEAD' ? { ...answer, body: NO_BODY } : answer;
  }

  #list(request: WireRequest): WireAnswer {
    const { modified, documents } = this.#container;
    const headers = { ...this.#headersOf(this.url), ...validators(modified, 'text/turtle') };
    const described = { ...headers, link: `${CONTAINER_LINKS}, ${this.#links(this.url)}` };
    if (isUnchanged(request, headers)) return { status: 304, headers: described, body: NO_BODY };
    return { status: 200, headers: described, body: listing(modified, documents) };
  }

  #read(url: string, request: WireRequest): WireAnswer {
    const document = this.#container.documents.get(this.#nameIn(url));
    if (!document) return this.#missing(url);
    const { body, mediaType, modified } = document;
    const headers = {
      ...this.#headersOf(url),
      ...validators(modified, mediaType),
      link: `${RESOURCE_LINK}, ${this.#links(url)}`,
    };
    if (isUnchanged(request, headers)) return { status: 304, headers, body: NO_BODY };
    return { status: 200, headers: { ...headers, 'content-length': String(body.length) }, body };
  }

  #missing(url: string): WireAnswer {
    const headers = { ...this.#headersOf(url), 'content-type': 'text/turtle' };
    const title = '<b0> <http://purl.org/dc/terms/title> "NotFoundHttpError";';
    const body = Buffer.from(`${title}\n    <http://purl.org/dc/terms/description> "".\n`);
    return { status: 404, headers, body };
  }

  #put(url: string, { headers, body }: WireRequest): WireAnswer {
    const name = this.#nameIn(url);
    const modified = this.#options.now();
    const mediaType = headers['content-type'] ?? 'application/octet-stream';
    const isNew = !this.#container.documents.has(name);
    this.#container.documents.set(name, { body: Buffer.from(body ?? ''), mediaType, modified });
    if (isNew) this.#container.modified = modified;
    this.#notifications.tell(url, isNew ? 'Create' : 'Update', this.#tagOf(url));
    if (isNew) this.#notifications.tell(this.url, 'Add', this.#tagOf(this.url), url);
    const location: Record<string, string> = isNew ? { location: url } : {};
    return { status: isNew ? 201 : 205, headers: { ...this.#common(), ...location }, body: NO_BODY };
  }

  #delete(url: string): WireAnswer {
    if (!this.#container.documents.delete(this.#nameIn(url))) {
      return { ...this.#missing(url), headers: { ...this.#common(), 'content-type': 'application/json' } };
    }
    this.#container.modified = this.#options.now();
    this.#notifications.tell(url, 'Delete', undefined);
    this.#notifications.tell(this.url, 'Remove', this.#tagOf(this.url), url);
    return { status: 205, headers: this.#common(), body: NO_BODY };
  }

  /** '' for what is not in the container. */
  #nameIn(url: string): string {
    return url.startsWith(this.url) ? url.slice(this.url.length) : '';
  }

  #tagOf(url: string): string | undefined {
    if (url === this.url) return tag(this.#container.modified, 'text/turtle');
    const document = this.#container.documents.get(this.#nameIn(url));
    return document && tag(document.modified, document.mediaType);
  }

  #common(): Record<string, string> {
    return {
      'x-powered-by': 'Community Solid Server',
      vary: 'Accept,Authorization,Origin',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
      date: new Date(this.#options.now()).toUTCString(),
    };
  }

  #headersOf(url: string): Record<string, string> {
    const allow = url === this.url ? 'OPTIONS, HEAD, GET, POST' : 'OPTIONS, HEAD, GET, PATCH, PUT, DELETE';
    return { ...this.#common(), allow };
  }

  #links(url: string): string {
    return `<${url}.meta>; rel="describedby", ${this.#notifications.link(url)}, <${url}.acl>; rel="acl"`;
  }
}

const RESOURCE_LINK = '<http://www.w3.org/ns/ldp#Resource>; rel="type"';
const CONTAINER_LINKS = `<http://www.w3.org/ns/ldp#Container>; rel="type", <http://www.w3.org/ns/ldp#BasicContainer>; rel="type", ${RESOURCE_LINK}`;

function tag(modified: number, mediaType: string): string {
  return `"${modified}-${mediaType}"`;
}

function validators(modified: number, mediaType: string) {
  const lastModified = new Date(modified).toUTCString();
  return { 'content-type': mediaType, etag: tag(modified, mediaType), 'last-modified': lastModified };
}

/** RFC 9110, section 13.2.2: a time counts only where no tag is given. */
function isUnchanged({ headers }: WireRequest, current: { etag: string; 'last-modified': string }): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers;
  if (tags !== undefined) return tags === current.etag;
  return since !== undefined && Date.parse(since) >= Date.parse(current['last-modified']);
}
