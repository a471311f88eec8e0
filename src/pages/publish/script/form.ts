import { shapeIri } from '../../../component/shape-names.js';
import { byId, element } from '../../browser/element.js';
import type { Description } from './own-node.js';

const TEXTS = ['uri', 'label', 'description', 'version', 'integrity', 'example'] as const;
const LISTS = ['author', 'tag'] as const;

/** The form in which somebody describes a component. */
export class DescriptionForm {
  readonly #form = byId<HTMLFormElement>('description');
  readonly #shapes = byId<HTMLFieldSetElement>('shapes');
  /** What a manifest or a document says of its use, which is more than the form has fields for. */
  #capability: readonly unknown[] | undefined;

  constructor(changed: () => void) {
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('input', () => {
      this.#offerShape();
      changed();
    });
    this.#offerShape();
  }

  /** What has been filled in. Prefixed names of shapes are written out; of several namespaces, the first. */
  read(): Description {
    const texts = TEXTS.map((name) => [name, this.#text(name)] as const);
    const given = texts.filter(([, text]) => text !== '');
    const list = (name: string) =>
      this.#text(name)
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean);
    // What is no shape stays, so that it can be found fault with.
    const shapes = this.#shapeFields().flatMap(({ value }) => shapeIri(value.trim()) || []);
    const capability = this.#capabilityFor(shapes);
    return {
      ...{ uri: '', label: '' },
      ...(Object.fromEntries(given) as Partial<Record<(typeof TEXTS)[number], string>>),
      ...{ latest: this.#field('latest').checked, author: list('author'), tag: list('tag'), shapes },
      ...(capability && { capability }),
    };
  }

  fill(description: Partial<Description>): void {
    for (const name of TEXTS) this.#field(name).value = description[name] ?? '';
    for (const name of LISTS) this.#field(name).value = (description[name] ?? []).join(', ');
    for (const name of ['element', 'attribute']) this.#field(name).value = '';
    this.#field('latest').checked = description.latest !== false;
    for (const field of this.#shapeFields()) field.remove();
    for (const shape of description.shapes ?? []) this.#addShape(shape);
    this.#capability = description.capability;
    byId('capability').textContent = description.capability
      ? 'What it says already about this is kept, unless you fill in these fields.'
      : '';
    this.#offerShape();
  }

  set integrity(value: string) {
    this.#field('integrity').value = value;
  }

  /** The capability of an element that takes its data by one attribute; else what was said of it already. */
  #capabilityFor(shapes: readonly string[]): readonly unknown[] | undefined {
    const [element, variable, property] = ['element', 'attribute', 'meaning'].map((name) => this.#text(name));
    if (!element || !variable) return this.#capability?.map((one) => withShapes(one, shapes));
    const format = property === 'data' ? { format: 'text/turtle' } : {};
    const invocation = { type: 'ElementInvocation', element, ...format, mapping: [{ variable, property }] };
    return [{ action: 'odrl:display', resourceType: shapes, invocation: [invocation] }];
  }

  #text(name: string): string {
    return this.#field(name).value.trim();
  }

  #field(name: string): HTMLInputElement {
    return this.#form.elements.namedItem(name) as HTMLInputElement;
  }

  #shapeFields(): HTMLInputElement[] {
    return [...this.#shapes.querySelectorAll('input')];
  }

  /** There is always an empty field for one more. */
  #offerShape(): void {
    if (this.#shapeFields().every(({ value }) => value.trim() !== '')) this.#addShape('');
  }

  #addShape(value: string): void {
    const label = `Shape ${this.#shapeFields().length + 1}`;
    const about = { type: 'text', list: 'known-shapes', spellcheck: 'false', 'aria-label': label };
    this.#shapes.append(element('input', { ...about, value }));
  }
}

/** A capability that was guessed from a manifest leaves open which data it is for. */
function withShapes(capability: unknown, shapes: readonly string[]): unknown {
  const { resourceType } = capability as { resourceType?: unknown };
  const isOpen = Array.isArray(resourceType) && resourceType.length === 0;
  return isOpen ? { ...(capability as object), resourceType: shapes } : capability;
}
