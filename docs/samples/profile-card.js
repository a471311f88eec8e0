const FOAF = 'http://xmlns.com/foaf/0.1/';

export default class ProfileCard extends HTMLElement {
  connectedCallback() {
    const detail = { uri: this.getAttribute('entry'), type: 'quads' };
    const request = new CustomEvent('component-data-read', { detail, bubbles: true, composed: true });
    this.addEventListener('component-data-response', ({ detail: { cause, success, data } }) => {
      if (cause === request) this.show(success ? data : []);
    });
    this.dispatchEvent(request);
  }

  show(quads) {
    const value = (term) => quads.find(({ predicate }) => predicate.value === FOAF + term)?.object.value;
    const [name, role] = [document.createElement('h2'), document.createElement('p')];
    name.textContent = value('name') ?? 'This profile cannot be read';
    role.textContent = value('title') ?? '';
    (this.shadowRoot ?? this.attachShadow({ mode: 'open' })).replaceChildren(name, role);
  }
}
