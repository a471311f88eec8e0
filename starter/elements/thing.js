import { ComponentElement } from '../../src/host/component-element.ts';
import { link, make, render, timeText } from './dom.js';
import { endOf, labelOf, pictureOf, RDF, topicOf } from './graph.js';

/** Most things that are shown below the one that a document is about. */
const MOST = 50;

/** Anything that is described in RDF: what its document says, as names and values. */
export default class ViewThing extends ComponentElement {
  async show(entry) {
    const quads = await this.readData(entry, 'quads');
    const topic = topicOf(quads, entry);
    if (topic === undefined) return render(this.root, make('p', {}, 'This document says nothing in RDF.'));
    const others = [...new Set(quads.map(({ subject }) => subject))]
      .filter(({ termType, value }) => termType === 'NamedNode' && value !== topic)
      .map(({ value }) => value);
    const shown = [...new Set(others)].slice(0, MOST);
    render(
      this.root,
      described(quads, topic, 'h2'),
      shown.map((other) => described(quads, other, 'h3')),
    );
  }
}

function described(quads, subject, heading) {
  const picture = pictureOf(quads, subject);
  const types = quads.filter(
    (quad) => quad.subject.value === subject && quad.predicate.value === `${RDF}type`,
  );
  return make(
    'section',
    {},
    picture && make('img', { class: 'face', src: picture, alt: '' }),
    make(heading, {}, labelOf(quads, subject)),
    make('p', { class: 'small' }, [
      types.map(({ object }) => endOf(object.value)).join(', '),
      ' ',
      link(subject),
    ]),
    properties(quads, subject, new Set([subject])),
  );
}

function properties(quads, subject, seen) {
  const byPredicate = new Map();
  for (const quad of quads) {
    if (quad.subject.value !== subject || quad.predicate.value === `${RDF}type`) continue;
    byPredicate.set(quad.predicate.value, [...(byPredicate.get(quad.predicate.value) ?? []), quad.object]);
  }
  return make(
    'dl',
    {},
    [...byPredicate].flatMap(([predicate, objects]) => [
      make('dt', { title: predicate }, words(endOf(predicate))),
      make(
        'dd',
        {},
        objects.map((object) => make('div', {}, value(quads, object, seen))),
      ),
    ]),
  );
}

function value(quads, { termType, value: text }, seen) {
  if (termType === 'Literal') return timeText(text);
  if (termType === 'NamedNode') return link(text, labelOf(quads, text));
  return seen.has(text) ? '' : properties(quads, text, new Set([...seen, text]));
}

/** `hasPhoto` reads as `has photo`. */
function words(name) {
  return name.replace(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`);
}
