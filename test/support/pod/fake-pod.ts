import type { FakeAnswer, FakeServer, SeenRequest } from '../fake-server.js';
import { isUnchanged, listing, validatorsOf } from './modelled-pod.js';

export const VOC = 'http://semcom.digita.ai/voc#';

/** A document of one component, as authors write it. */
export function turtle(name: string, more = ''): string {
  return `<https://c.example/${name}.js> a <${VOC}component> ; <${VOC}label> "${name}" ${more}.`;
}

const LONG_AGO = 1_700_000_000_123;

interface Document {
  body: string;
  mediaType: string;
  /** Ms since the Unix epoch. */
  modified: number;
  /** What goes wrong, instead of the document itself. */
  fault?: FakeAnswer;
}

/**
 * A pod as Solid servers keep it, whose documents go wrong as a test says. Listings have an ETag that does not change when a member
 * is edited; documents have validators; nothing leads to notifications. Everything was modified long ago unless the test says
 * otherwise. Listings, validators and what is unchanged are those of the modelled pod.
 */
export class FakePod {
  readonly documents = new Map<string, Document>();
  /** What containers answer instead of their listing, by path. */
  readonly faults = new Map<string, FakeAnswer>();
  /** Do listings tell when members were modified, and documents bear an ETag? */
  listsModified = true;
  tags = true;
  /** Does a listing give the media types of its members? */
  listsTypes = true;
  /** Extra Turtle in every listing. */
  gossip = '';
  #edits = 0;
  /** When a document was added or deleted last: containers count as modified then. */
  #membersChanged = LONG_AGO;

  constructor(readonly server: FakeServer) {
    this.answerAll();
  }

  /** Answers all requests like this; as a pod when absent. */
  answerAll(fault?: FakeAnswer | ((request: SeenRequest) => FakeAnswer)): void {
    this.server.everything(fault ?? ((request) => this.answer(request)));
  }

  /** Writes a document; its time of modification moves by minutes with each edit. */
  put(path: string, body: string, more: Partial<Document> = {}): void {
    const modified = this.#edited();
    if (!this.documents.has(path)) this.#membersChanged = modified;
    this.documents.set(path, { body, mediaType: 'text/turtle', modified, ...more });
  }

  delete(path: string): void {
    if (this.documents.delete(path)) this.#membersChanged = this.#edited();
  }

  #edited(): number {
    this.#edits += 1;
    return LONG_AGO + this.#edits * 60_000;
  }

  /** Makes a document answer something else; its time of modification moves, so that it is asked for. */
  break(path: string, fault: FakeAnswer): void {
    const { body, mediaType } = this.#document(path);
    this.put(path, body, { mediaType, fault });
  }

  /** Takes away the right to read a document, which leaves it and its listing as they are. */
  close(path: string): void {
    this.documents.set(path, { ...this.#document(path), fault: { status: 403 } });
  }

  /** The requests since the last call, as `path status`. */
  seen(): string[] {
    return this.server.answered.splice(0).sort();
  }

  #document(path: string): Document {
    const document = this.documents.get(path);
    if (!document) throw new Error(`the fake pod has no ${path}`);
    return document;
  }

  /** What a pod answers. */
  answer(request: SeenRequest): FakeAnswer {
    return request.url.endsWith('/') ? this.#list(request) : this.#read(request);
  }

  #read({ url, headers }: SeenRequest): FakeAnswer {
    const document = this.documents.get(url);
    if (!document) return { status: 404, headers: { 'content-type': 'text/turtle' } };
    const { body, mediaType, fault } = document;
    if (fault?.status || fault?.drop) return fault;
    const described = { 'content-type': mediaType, ...(this.tags ? validatorsOf(document) : {}) };
    if (this.tags && isUnchanged(document, headers)) return { status: 304, headers: described };
    return { body, ...fault, headers: { ...described, ...fault?.headers } };
  }

  #list({ url: path, headers }: SeenRequest): FakeAnswer {
    const fault = this.faults.get(path);
    if (fault) return fault;
    const below = [...this.documents.keys()].filter((url) => url.startsWith(path));
    const members = new Set(below.map((url) => url.slice(path.length).replace(/\/.*/s, '/')));
    const told = [...members].map((name) => [name, this.#told(path + name)] as const);
    const container = { mediaType: 'text/turtle', modified: this.#membersChanged };
    const described = { 'content-type': container.mediaType, ...validatorsOf(container) };
    if (isUnchanged(container, headers)) return { status: 304, headers: described };
    const body = `${listing(told, this.listsModified ? container.modified : undefined)}${this.gossip}`;
    return { body, headers: described };
  }

  /** What a listing says of a document. */
  #told(path: string) {
    if (path.endsWith('/')) return {};
    const { mediaType, modified } = this.#document(path);
    return { ...(this.listsTypes ? { mediaType } : {}), ...(this.listsModified ? { modified } : {}) };
  }
}
