import { ComponentElement } from '../../src/host/component-element.ts';
import { link, make, render, timeText } from './dom.js';
import { endOf, firstOf, labelOf, objectsOf, pictureOf, topicsOf, VCARD } from './graph.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const SCHEMA = ['https://schema.org/', 'http://schema.org/'];
const inSchema = (name) => SCHEMA.map((namespace) => namespace + name);

/** What is said below the name, in the words of vCard, FOAF and schema.org. */
const ROLE = [`${VCARD}role`, `${VCARD}title`, `${FOAF}title`, ...inSchema('jobTitle')];
const ORGANIZATION = [`${VCARD}organization-name`, ...inSchema('worksFor')];
const NOTE = [`${VCARD}note`, 'http://purl.org/dc/terms/description', ...inSchema('description')];
const BIRTHDAY = [`${VCARD}bday`, `${FOAF}birthday`, ...inSchema('birthDate')];
const WAYS = [`${VCARD}hasEmail`, `${VCARD}hasTelephone`, `${VCARD}url`, `${FOAF}mbox`, `${FOAF}homepage`];
const TEXT_WAYS = [...inSchema('email'), ...inSchema('telephone'), ...inSchema('url')];
const ADDRESS = ['street-address', 'postal-code', 'locality', 'region', 'country-name'];

const PEOPLE = [`${VCARD}Individual`, `${FOAF}Person`, ...inSchema('Person')];

/** A person at a glance: picture, name, role, and how to reach them; of a document with several, each. */
export default class ViewPerson extends ComponentElement {
  async show(entry) {
    const quads = await this.readData(entry, 'quads');
    render(
      this.root,
      topicsOf(quads, entry, PEOPLE).map((person) => described(quads, person)),
    );
  }
}

function described(quads, person) {
  const first = (predicates) => predicates.map((one) => firstOf(quads, person, one)).find(Boolean);
  const all = (predicates) => predicates.flatMap((one) => objectsOf(quads, person, one));
  const picture = pictureOf(quads, person);
  const birthday = first(BIRTHDAY);
  const known = all([`${FOAF}knows`]).map(({ value }) => make('li', {}, link(value, nameOf(quads, value))));
  return make(
    'section',
    {},
    picture && make('img', { class: 'face', src: picture, alt: '' }),
    make('h2', {}, nameOf(quads, person)),
    paragraph([first(ROLE), first(ORGANIZATION)].filter(Boolean).join(', ')),
    paragraph(first(NOTE)),
    make(
      'ul',
      {},
      [
        ...ways(quads, [...all(WAYS), ...all(TEXT_WAYS)]).map(([words, iri]) =>
          make('li', {}, link(iri, words)),
        ),
        ...all([`${VCARD}hasAddress`]).map(({ value }) => make('li', {}, addressOf(quads, value))),
        birthday && make('li', {}, timeText(birthday)),
      ].filter(Boolean),
    ),
    known.length > 0 ? make('section', {}, make('h3', {}, 'Knows'), make('ul', {}, known)) : undefined,
  );
}

/** A profile without a name is known by where it is. */
function nameOf(quads, person) {
  const label = labelOf(quads, person);
  return label === endOf(person) && URL.canParse(person) ? `${new URL(person).host} ${label}` : label;
}

function paragraph(text) {
  return text ? make('p', {}, text) : undefined;
}

/**
 * How to reach somebody, by the words that people read: `mailto:a@b` reads as `a@b`. What several vocabularies say is there
 * once; of a blank node without a value there is nothing to say.
 */
function ways(quads, terms) {
  const found = new Map();
  for (const { termType, value } of terms) {
    const iri = firstOf(quads, value, `${VCARD}value`) ?? (termType === 'BlankNode' ? '' : value);
    const words = iri.replace(/^(mailto|tel):/i, '');
    if (words !== '' && !found.has(words)) found.set(words, iri);
  }
  return [...found];
}

function addressOf(quads, address) {
  const parts = ADDRESS.map((part) => firstOf(quads, address, VCARD + part));
  return parts.filter(Boolean).join(', ');
}
