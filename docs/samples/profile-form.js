/**
 * A person's name and role, to be changed. Saving replaces what stands at these two terms, and keeps everything else
 * that the document says.
 */
const FOAF = 'http://xmlns.com/foaf/0.1/';
const FIELDS = { name: 'Name', title: 'Role' };
const LITERAL = {
  termType: 'Literal',
  language: '',
  datatype: { value: 'http://www.w3.org/2001/XMLSchema#string' },
};

const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
  form { display: grid; gap: .7rem; max-width: 24rem; }
  label { display: grid; gap: .2rem; }
  input, button {
    box-sizing: border-box; min-width: 0; padding: .4rem .7rem; font: inherit; color: inherit;
    background: transparent; border: 1px solid color-mix(in srgb, currentColor 45%, transparent); border-radius: 6px;
  }
  button { justify-self: start; cursor: pointer; }
  p { margin: 0; min-height: 1.5em; }
`);

export default class ProfileForm extends HTMLElement {
  root = this.attachShadow({ mode: 'open' });
  quads = [];

  async connectedCallback() {
    this.root.adoptedStyleSheets = [STYLE];
    const { success, data } = await this.ask('read');
    this.quads = success ? data : [];
    this.render(success ? '' : 'This profile cannot be read.');
  }

  async save(form) {
    const entered = new FormData(form);
    const changed = this.quads.map(({ subject, predicate, object, graph }) => {
      const value = entered.get(predicate.value.replace(FOAF, ''));
      return { subject, predicate, object: value === null ? object : { ...LITERAL, value }, graph };
    });
    const { success } = await this.ask('write', changed);
    if (success) this.quads = changed;
    this.root.querySelector('p').textContent = success
      ? 'Saved.'
      : 'Not saved: it may not be written, or somebody else has changed it meanwhile.';
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
    const form = document.createElement('form');
    for (const [term, words] of Object.entries(FIELDS)) {
      const label = document.createElement('label');
      const input = document.createElement('input');
      input.name = term;
      input.value = this.quads.find(({ predicate }) => predicate.value === FOAF + term)?.object.value ?? '';
      label.append(words, input);
      form.append(label);
    }
    const button = document.createElement('button');
    button.textContent = 'Save';
    const status = document.createElement('p');
    status.setAttribute('role', 'status');
    status.textContent = message;
    form.append(button, status);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.save(form);
    });
    this.root.replaceChildren(form);
  }
}
