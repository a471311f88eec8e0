import { shapeIri } from '../../../component/shape-names.js';
import { byId, element } from '../../browser/element.js';
import { type Description, simpleCapability } from './description.js';

const TEXTS = ['uri', 'label', 'description', 'version', 'integrity', 'example'] as const;

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
    const [uri = '', label = '', ...optional] = TEXTS.map((name) => this.#text(name));
    const shapes = this.#shapeFields().flatMap(({ value }) => iriOf(value.trim()));
    const [element, attribute] = [this.#text('element'), this.#text('attribute')];
    const capability =
      element !== '' && attribute !== ''
        ? simpleCapability(element, attribute, this.#text('meaning'), shapes)
        : this.#capability?.map((one) => withShapes(one, shapes));
    return {
      uri,
      label,
      latest: this.#field('latest').checked,
      ...Object.fromEntries(TEXTS.slice(2).flatMap((name, i) => (optional[i] ? [[name, optional[i]]] : []))),
      author: listIn(this.#text('author')),
      tag: listIn(this.#text('tag')),
      shapes,
      ...(capability && { capability }),
    };
  }

  fill(description: Partial<Description>): void {
    for (const name of TEXTS) this.#field(name).value = description[name] ?? '';
    this.#field('latest').checked = description.latest !== false;
    for (const name of ['author', 'tag'] as const)
      this.#field(name).value = (description[name] ?? []).join(', ');
    for (const name of ['element', 'attribute']) this.#field(name).value = '';
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

function listIn(text: string): string[] {
  return text.split(',').flatMap((one) => one.trim() || []);
}

/** An IRI, or what a prefixed name stands for; what is neither stays, so that it can be found fault with. */
function iriOf(text: string): string[] {
  return text === '' ? [] : [shapeIri(text)];
}

/** A capability that was guessed from a manifest leaves open which data it is for. */
function withShapes(capability: unknown, shapes: readonly string[]): unknown {
  const { resourceType } = capability as { resourceType?: unknown };
  const isOpen = Array.isArray(resourceType) && resourceType.length === 0;
  return isOpen ? { ...(capability as object), resourceType: shapes } : capability;
}
