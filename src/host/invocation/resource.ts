import { canonicalShape, canonicalShapes, SAME_NAMESPACES } from '../../component/canonical-shape.js';
import type { ElementInvocation } from '../../component/capability.js';
import { documentOf, RDF_TYPE, topicsOf } from '../graph-shapes.js';
import { HostError } from '../host-error.js';
import type { Quad, Term } from '../quad.js';
import { JSON_LD, parseRdf, toJsonLd, toTriples } from '../rdf.js';
import type { DataHandler } from '../serve-data.js';
import { readPublic } from '../solid-data.js';
import type { Edit } from './element.js';
import type { Plans } from './make.js';
import { mergeEdit } from './merge.js';
import type { Way } from './way.js';

/** For one request of the host's own, in ms. */
const TIMEOUT = 30_000;
/** How often an edit is merged again because somebody else wrote in between. */
const ATTEMPTS = 8;
/** So many things of one document are shown. */
const MOST = 50;

/** The resource that elements show: what they are told of it, and what becomes of it by edits. */
export class Resource {
  readonly #url: string;
  /** Its URL without a fragment. */
  readonly document: string;
  readonly #way: Way & { readonly invocation: ElementInvocation };
  readonly #format: string;
  readonly #handler: DataHandler;
  #quads: Promise<readonly Quad[]> | undefined;
  /** What the element gave when the document was written last. */
  #written: readonly Quad[] | undefined;
  /** Has somebody else changed the document since the element got its data? */
  #isShared = false;
  #last: Promise<unknown> = Promise.resolve();

  /** @param url with its fragment, where the resource has one */
  constructor(url: string, way: Way & { readonly invocation: ElementInvocation }, handler: DataHandler) {
    [this.#url, this.document, this.#way, this.#handler] = [url, documentOf(url), way, handler];
    this.#format = way.invocation.format ?? 'text/turtle';
  }

  /**
   * What the elements are told. An element that is told its subject shows one thing: of a document with several, each is shown by an
   * element of its own. An editor gets the first one, because two would write over one another.
   * @throws HostError when the data or the shapes cannot be read
   */
  async plans(): Promise<Plans> {
    const { element, fixed = {}, mapping, write } = this.#way.invocation;
    const isOfOne = mapping.some(({ property }) => property === 'subject');
    const [values, subjects] = await Promise.all([
      Promise.all(mapping.map(async (one) => ({ ...one, value: await this.#value(one.property) }))),
      isOfOne ? this.#subjects() : [undefined],
    ]);
    const plans = subjects.slice(0, write ? 1 : MOST).map((subject) => {
      const known = values.flatMap(({ variable, property, value }) => {
        const meant = property === 'subject' ? subject : value;
        return meant === undefined ? [] : [{ variable, value: meant }];
      });
      return { element, fixed, values: known, write };
    });
    return { plans, total: subjects.length };
  }

  /** What a property of a mapping stands for; undefined for one that is not known, or where there is no such thing. */
  async #value(property: string): Promise<string | undefined> {
    const [shape] = this.#way.capability.shape ?? [];
    switch (property) {
      case 'ac:open':
      case 'https://www.w3.org/ns/ac#open':
        return this.#url;
      case 'data':
        return this.#text(this.#respelled(await this.#data()));
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

  /** What the resource is about: of several things, those of the classes that are meant; never none. */
  async #subjects(): Promise<string[]> {
    if (this.#url !== this.document) return [this.#url];
    const quads = await this.#data();
    const topics = topicsOf(quads, this.document);
    const classes = canonicalShapes(this.#way.capability.resourceType ?? []);
    const meant = quads.filter(
      ({ predicate, object }) =>
        predicate.value === RDF_TYPE && classes.includes(canonicalShape(object.value)),
    );
    const things = new Set(meant.map(({ subject }) => subject.value));
    const found = topics.filter((topic) => things.has(topic));
    return found.length > 0 ? found : [topics[0] ?? this.document];
  }

  /** Shapes are public, and their servers need not know who reads the data. */
  async #shapes(): Promise<string> {
    const documents = [...new Set((this.#way.capability.shape ?? []).map(documentOf))];
    const graphs = await Promise.all(documents.map(readPublic));
    // Blank nodes of two documents may have the same names.
    const text = graphs.map((quads, index) => toTriples(quads, `s${index}x`)).join('');
    if (this.#format !== JSON_LD) return text;
    return toJsonLd(await parseRdf(text, 'text/turtle', this.document));
  }

  #text(quads: readonly Quad[]): string {
    return this.#format === JSON_LD ? toJsonLd(quads) : toTriples(quads);
  }

  /**
   * Data in the spelling of vocabularies in which the component names its classes: one for `https://schema.org/` would show nothing
   * of data that says `http://schema.org/`. Where it names both, or none, the data stays as it is; and so does what is edited, because
   * the edit would be written in the other spelling.
   */
  #respelled(quads: readonly Quad[]): readonly Quad[] {
    const { resourceType = [], shape = [] } = this.#way.capability;
    const names = (namespace: string) => [...resourceType, ...shape].some((one) => one.startsWith(namespace));
    const changes = SAME_NAMESPACES.flatMap((pair) =>
      [pair, pair.toReversed()].filter(([from = '', to = '']) => names(to) && !names(from)),
    );
    if (this.#way.invocation.write || changes.length === 0) return quads;
    const respell = (term: Term): Term => {
      const { termType, value } = term;
      const [from = '', to = ''] = changes.find(([from = '']) => value.startsWith(from)) ?? [];
      return termType === 'NamedNode' ? { termType, value: to + value.slice(from.length) } : term;
    };
    return quads.map(({ subject, predicate, object, graph }) => ({
      subject,
      predicate: respell(predicate),
      object: respell(object),
      graph,
    }));
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
        if (!(error instanceof HostError) || error.reason !== 'conflict') throw error;
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
      throw new HostError(reason, `nothing is written to ${this.document}: ${why}`, { cause });
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
    return typeof given === 'string' ? parseRdf(given, this.#format, this.document) : given;
  }
}
