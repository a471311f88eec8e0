import { ComponentElement } from '../../src/host/component-element.ts';
import { link, make, render, timeText } from './dom.js';
import { DCT, endOf, firstOf, LDP, labelOf, objectsOf, RDF } from './graph.js';

/** What is in a container of a Solid server, folders first. */
export default class ViewContainer extends ComponentElement {
  async show(entry) {
    const quads = await this.readData(entry, 'quads');
    const container =
      quads.find(({ predicate }) => predicate.value === `${LDP}contains`)?.subject.value ?? entry;
    const isFolder = (iri) =>
      objectsOf(quads, iri, `${RDF}type`).some(({ value }) => value === `${LDP}Container`) ||
      iri.endsWith('/');
    const items = objectsOf(quads, container, `${LDP}contains`).map(({ value }) => value);
    items.sort((one, other) => isFolder(other) - isFolder(one) || endOf(one).localeCompare(endOf(other)));
    const rows = items.map((iri) => {
      const size = firstOf(quads, iri, 'http://www.w3.org/ns/posix/stat#size');
      const modified = firstOf(quads, iri, `${DCT}modified`);
      const details = [isFolder(iri) ? undefined : size && `${size} bytes`, modified && timeText(modified)];
      const said = details.filter((detail) => detail !== undefined).join(', ');
      const icon = make('span', { 'aria-hidden': 'true' }, isFolder(iri) ? '📁 ' : '📄 ');
      return make('li', {}, icon, link(iri, endOf(iri)), ' ', make('span', { class: 'small' }, said));
    });
    const empty = make('p', {}, 'This folder is empty.');
    render(
      this.root,
      make('h2', {}, labelOf(quads, container)),
      rows.length > 0 ? make('ul', { class: 'rows' }, rows) : empty,
    );
  }
}
