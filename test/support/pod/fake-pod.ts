import type { FakeAnswer, FakeServer, SeenRequest } from '../fake-server.js';
import { isUnchanged, listing, validatorsOf } from './modelled-pod.js';

export const VOC = 'http://semcom.digita.ai/voc#';

/** A document of one component, as authors write it. */
export function turtle(name: string, more = ''): string {
  return `<https://c.example/${name}.js> a <${VOC}component> ; <${VOC}label> "${name}" ${more}.`;
}

interface Document {
  body: string;
  type: string;
  modified: Date;
  /** What goes wrong, instead of the document itself. */
  fault?: FakeAnswer;
}

/**
 * A pod as Solid servers keep it: listings whose ETag does not change when a member does, documents with
 * validators. Everything was modified long ago unless the test says otherwise.
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

  constructor(readonly server: FakeServer) {
    this.answerAll();
  }

  /** Answers all requests like this; as a pod when absent. */
  answerAll(fault?: FakeAnswer | ((request: SeenRequest) => FakeAnswer)): void {
    this.server.everything(fault ?? ((request) => this.answer(request)));
  }

  /** Writes a document; its time of modification moves by minutes with each edit. */
  put(path: string, body: string, more: Partial<Document> = {}): void {
    this.#edits += 1;
    const modified = new Date(1_700_000_000_123 + this.#edits * 60_000);
    this.documents.set(path, { body, type: 'text/turtle', modified, ...more });
  }

  delete(path: string): void {
    this.documents.delete(path);
  }

  /** Makes a document answer something else; its time of modification moves, so that it is asked for. */
  break(path: string, fault: FakeAnswer): void {
    const { body, type } = this.#document(path);
    this.put(path, body, { type, fault });
  }

  /** Takes away the right to read a document, which leaves it and its listing as they are. */
  close(path: string): void {
    this.documents.set(path, { ...this.#document(path), fault: { status: 403 } });
  }

  /** The requests since the last call, as `path status`. */
  readonly log: string[] = [];
  seen(): string[] {
    return this.log.splice(0).sort();
  }

  #document(path: string): Document {
    const document = this.documents.get(path);
    if (!document) throw new Error(`the fake pod has no ${path}`);
    return document;
  }

  /** What a pod answers. */
  answer(request: SeenRequest): FakeAnswer {
    const answer = request.url.endsWith('/') ? this.#list(request.url) : this.#read(request);
    this.log.push(`${request.url} ${answer.status ?? 200}`);
    return answer;
  }

  #read({ url, headers }: SeenRequest): FakeAnswer {
    const document = this.documents.get(url);
    if (!document) return { status: 404 };
    const { body, type, fault } = document;
    if (fault?.status || fault?.drop) return fault;
    const stored = storedAs(document);
    const validators = this.tags ? validatorsOf(stored) : {};
    if (this.tags && isUnchanged(stored, headers)) return { status: 304, headers: validators };
    return { body, ...fault, headers: { 'content-type': type, ...validators, ...fault?.headers } };
  }

  #list(path: string): FakeAnswer {
    const fault = this.faults.get(path);
    if (fault) return fault;
    const below = [...this.documents.keys()].filter((url) => url.startsWith(path));
    const members = new Set(below.map((url) => url.slice(path.length).replace(/\/.*/s, '/')));
    const told = [...members].map(
      (name) => [name, name.endsWith('/') ? {} : this.#tell(path + name)] as const,
    );
    const body = `${listing(told)}${this.gossip}`;
    return { body, etag: '"never changes"', headers: { 'content-type': 'text/turtle' } };
  }

  /** What a listing says of a document. */
  #tell(path: string) {
    const { mediaType, modified } = storedAs(this.#document(path));
    return { ...(this.listsTypes ? { mediaType } : {}), ...(this.listsModified ? { modified } : {}) };
  }
}

function storedAs({ type, modified }: Document) {
  return { mediaType: type, modified: modified.getTime() };
}
