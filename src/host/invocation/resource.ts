import { canonicalShape, canonicalShapes } from '../../component/canonical-shape.js';
import type { Capability, ElementInvocation } from '../capability.js';
import { documentOf, RDF_TYPE } from '../graph-shapes.js';
import type { Quad } from '../quad.js';
import type { DataHandler } from '../serve-data.js';
import type { Edit } from './element.js';
import { mergeEdit } from './merge.js';
import { rdfText } from './rdf-text.js';
import { respelled } from './respelled.js';
import type { Tools } from './tools.js';

/** For one request of the host's own. */
const TIMEOUT = 30_000;
/** How often an edit is merged again because somebody else wrote in between. */
const ATTEMPTS = 8;

/** The resource that an element shows: what the element is told of it, and what becomes of it by edits. */
export class Resource {
  readonly #url: string;
  /** Its URL without a fragment. */
  readonly document: string;
  readonly #capability: Capability;
  readonly #format: string;
  readonly #isEdited: boolean;
  readonly #handler: DataHandler;
  readonly #tools: Tools;
  #quads: Promise<readonly Quad[]> | undefined;
  /** What the element gave when the document was written last. */
  #written: readonly Quad[] | undefined;
  /** Has somebody else changed the document since the element got its data? */
  #isShared = false;
  #last: Promise<unknown> = Promise.resolve();

  /** @param url with its fragment, where the resource has one */
  constructor(
    url: string,
    capability: Capability,
    { format = 'text/turtle', write }: ElementInvocation,
    handler: DataHandler,
    tools: Tools,
  ) {
    [this.#url, this.document] = [url, documentOf(url)];
    this.#isEdited = write !== undefined;
    [this.#capability, this.#format, this.#handler, this.#tools] = [capability, format, handler, tools];
  }

  /**
   * What a property of a mapping stands for, but for `subject`; undefined for one that is not known, or where there is no such
   * thing.
   */
  async value(property: string): Promise<string | undefined> {
    const [shape] = this.#capability.shape ?? [];
    switch (property) {
      case 'ac:open':
      case 'https://www.w3.org/ns/ac#open':
        return this.#url;
      case 'data':
        return rdfText(this.#respelled(await this.#data()), this.#format, this.#tools);
      case 'shapes':
        return this.#shapes();
      case 'shapesUrl':
        return shape && documentOf(shape);
      case 'shapeSubject':
        return shape;
      default:
        return undefined;
    }
  }

  /**
   * Takes an edit into the document, after those before it. When somebody else has changed the document meanwhile, the edit is
   * taken into what is there now.
   * @returns what has been written
   * @throws HostError `conflict` when that cannot be; the next edit begins with what is there then
   */
  edit(edit: Edit): Promise<readonly Quad[]> {
    const edited = this.#last.then(() => this.#edit(edit));
    this.#last = edited.catch(() => undefined);
    return edited;
  }

  async #edit({ before, after }: Edit): Promise<readonly Quad[]> {
    const known = this.#written ?? (await this.#quadsOf(before));
    const now = await this.#quadsOf(after);
    for (let attempt = 1; ; attempt++) {
      const merged = this.#merged(await this.#data(), known, now);
      try {
        await this.#ask('write', merged);
        this.#quads = Promise.resolve(merged);
        this.#written = now;
        return merged;
      } catch (error) {
        if (!(error instanceof this.#tools.HostError) || error.reason !== 'conflict') throw error;
        this.#isShared = true;
        this.#quads = undefined;
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  #merged(document: readonly Quad[], known: readonly Quad[], now: readonly Quad[]): Quad[] {
    try {
      return mergeEdit(document, known, now, this.#isShared);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const reason = this.#isShared ? 'conflict' : 'module';
      throw new this.#tools.HostError(reason, `nothing is written to ${this.document}: ${why}`, { cause });
    }
  }

  #data(): Promise<readonly Quad[]> {
    if (!this.#quads) {
      const reading = this.#ask('read') as Promise<readonly Quad[]>;
      reading.catch(() => {
        if (this.#quads === reading) this.#quads = undefined;
      });
      this.#quads = reading;
    }
    return this.#quads;
  }

  #ask(action: 'read' | 'write', data?: readonly Quad[]): Promise<unknown> {
    const request = { action, uri: this.document, type: 'quads', data } as const;
    return this.#handler(request, AbortSignal.timeout(TIMEOUT));
  }

  #quadsOf(given: Edit['before']): Promise<readonly Quad[]> | readonly Quad[] {
    return typeof given === 'string' ? this.#tools.parseRdf(given, this.#format, this.document) : given;
  }

  /** What the resource is about: of several things, those of the classes that are meant; never none. */
  async subjects(): Promise<readonly [string, ...string[]]> {
    if (this.#url !== this.document) return [this.#url];
    const quads = await this.#data();
    const topics = this.#tools.topicsOf(quads, this.document);
    const classes = canonicalShapes(this.#capability.resourceType ?? []);
    const isMeant = (topic: string) =>
      quads.some(
        ({ subject, predicate, object }) =>
          subject.value === topic &&
          predicate.value === RDF_TYPE &&
          classes.includes(canonicalShape(object.value)),
      );
    const [first, ...others] = topics.filter(isMeant);
    return first === undefined ? [topics[0] ?? this.document] : [first, ...others];
  }

  /** What is edited stays as it is: the edit would be written in the other spelling. */
  #respelled(quads: readonly Quad[]): readonly Quad[] {
    const { resourceType = [], shape = [] } = this.#capability;
    return this.#isEdited ? quads : respelled(quads, [...resourceType, ...shape]);
  }

  /** Shapes are public, and their servers need not know who reads the data. */
  async #shapes(): Promise<string> {
    const documents = [...new Set((this.#capability.shape ?? []).map(documentOf))];
    const graphs = await Promise.all(documents.map((document) => this.#tools.readPublic(document)));
    // Blank nodes of two documents may have the same names.
    const text = graphs.map((quads, index) => this.#tools.toTriples(quads, `s${index}x`)).join('');
    if (this.#format !== 'application/ld+json') return text;
    return rdfText(await this.#tools.parseRdf(text, 'text/turtle', this.document), this.#format, this.#tools);
  }
}
