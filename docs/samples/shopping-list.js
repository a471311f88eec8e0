/** A list that can be changed. Its items are the literals of schema:itemListElement; every change writes all of them. */
const ITEM = 'https://schema.org/itemListElement';
const STRING = 'http://www.w3.org/2001/XMLSchema#string';

const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
  :host { display: block; max-width: 24rem; }
  ul { margin: 0 0 .8rem; padding: 0; list-style: none; }
  li, form { display: flex; gap: .6rem; align-items: center; padding: .2rem 0; }
  li span, input { flex: 1; min-width: 0; overflow-wrap: anywhere; }
  input, button {
    padding: .4rem .7rem; font: inherit; color: inherit;
    background: transparent; border: 1px solid color-mix(in srgb, currentColor 45%, transparent); border-radius: 6px;
  }
  button { cursor: pointer; }
  p { margin: 0; min-height: 1.5em; }
`);

const node = (value) => ({ termType: 'NamedNode', value });
const literal = (value) => ({ termType: 'Literal', value, language: '', datatype: node(STRING) });

export default class ShoppingList extends HTMLElement {
  root = this.attachShadow({ mode: 'open' });
  quads = [];

  async connectedCallback() {
    this.root.adoptedStyleSheets = [STYLE];
    const { success, data } = await this.ask('read');
    this.quads = success ? data : [];
    this.render(success ? '' : 'This list cannot be read.');
  }

  add(value) {
    const subject = node(this.getAttribute('entry'));
    const graph = { termType: 'DefaultGraph', value: '' };
    return this.write([...this.quads, { subject, predicate: node(ITEM), object: literal(value), graph }]);
  }

  remove(quad) {
    return this.write(this.quads.filter((one) => one !== quad));
  }

  async write(quads) {
    const { success } = await this.ask('write', quads);
    if (success) this.quads = quads;
    this.render(
      success ? 'Saved.' : 'Not saved: it may not be written, or somebody else has changed it meanwhile.',
    );
    this.root.querySelector('input').focus();
  }

  /** Asks the page to read the data, or to write it; resolves with its answer. */
  ask(action, data) {
    const detail = { uri: this.getAttribute('entry'), type: 'quads', ...(data ? { data } : {}) };
    const request = new CustomEvent(`component-data-${action}`, { detail, bubbles: true, composed: true });
    return new Promise((resolve) => {
      this.addEventListener('component-data-response', ({ detail }) => {
        if (detail.cause === request) resolve(detail);
      });
      this.dispatchEvent(request);
    });
  }

  render(message) {
    const list = document.createElement('ul');
    list.append(
      ...this.quads.filter(({ predicate }) => predicate.value === ITEM).map((quad) => this.item(quad)),
    );
    const status = document.createElement('p');
    status.setAttribute('role', 'status');
    status.textContent = message;
    this.root.replaceChildren(list, this.form(), status);
  }

  item(quad) {
    const line = document.createElement('li');
    const text = document.createElement('span');
    text.textContent = quad.object.value;
    const remove = document.createElement('button');
    remove.textContent = 'Remove';
    remove.setAttribute('aria-label', `Remove ${quad.object.value}`);
    remove.addEventListener('click', () => this.remove(quad));
    line.append(text, remove);
    return line;
  }

  form() {
    const form = document.createElement('form');
    const input = document.createElement('input');
    input.required = true;
    input.setAttribute('aria-label', 'New item');
    const button = document.createElement('button');
    button.textContent = 'Add';
    form.append(input, button);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.add(input.value);
    });
    return form;
  }
}
