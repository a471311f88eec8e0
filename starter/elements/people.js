import { ComponentElement } from '../../src/host/component-element.ts';
import { link, make, render } from './dom.js';
import { firstOf, labelOf, objectsOf, pictureOf, topicOf, VCARD } from './graph.js';

/** The people of an address book or of a group, in the order of their names. */
export default class ViewPeople extends ComponentElement {
  async show(entry) {
    const quads = await this.readData(entry, 'quads');
    const topic = topicOf(quads, entry) ?? entry;
    const index = firstOf(quads, topic, `${VCARD}nameEmailIndex`);
    // An address book of SolidOS keeps the names of its people in a document of their own.
    const people = index === undefined ? quads : [...quads, ...(await this.readData(index, 'quads'))];
    const members = [
      ...objectsOf(people, topic, `${VCARD}hasMember`).map(({ value }) => value),
      ...people
        .filter(
          ({ predicate, object }) => predicate.value === `${VCARD}inAddressBook` && object.value === topic,
        )
        .map(({ subject }) => subject.value),
    ];
    const rows = [...new Set(members)]
      .map((iri) => ({ iri, name: labelOf(people, iri), picture: pictureOf(people, iri) }))
      .sort((one, other) => one.name.localeCompare(other.name))
      .map(({ iri, name, picture }) =>
        make('li', {}, picture && make('img', { class: 'face', src: picture, alt: '' }), link(iri, name)),
      );
    const none = make('p', {}, 'Nobody is in it yet.');
    render(
      this.root,
      make('h2', {}, labelOf(quads, topic)),
      rows.length > 0 ? make('ul', { class: 'rows' }, rows) : none,
    );
  }
}
