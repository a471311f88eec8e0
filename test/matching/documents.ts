import { readFileSync } from 'node:fs';
import { Parser } from 'n3';
import { type MatchQuestion, readMatchQuestion } from '../../src/component/match-question.js';
import { shapeIri } from '../../src/component/shape-names.js';
import { isRdfType } from '../../src/core/match-plan.js';
import { predicatesInGraph, shapesInGraph } from '../../src/host/graph-shapes.js';

/** A document, and the components of which a person would expect one first. */
export interface JudgedDocument {
  readonly name: string;
  readonly question: MatchQuestion;
  readonly right: readonly string[];
}

const FILES = new URL('../fixtures/real-data/', import.meta.url);
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ttl: 'text/turtle',
  jsonld: 'application/ld+json',
  html: 'text/html',
  md: 'text/markdown',
  txt: 'text/plain',
  png: 'image/png',
};

/** Reads documents.txt, which says how it is written. */
export function judgedDocuments(): JudgedDocument[] {
  const text = readFileSync(new URL('documents.txt', import.meta.url), 'utf8');
  const all = text.split('\n').filter((one) => one !== '' && !one.startsWith('#'));
  const isKind = (one: string) => !one.includes('|');
  const kinds = new Map(
    all.filter(isKind).map((one) => {
      const [kind = '', names = ''] = one.split(' = ');
      return [kind, names.split('; ')] as const;
    }),
  );
  return all
    .filter((one) => !isKind(one))
    .map((one) => {
      const parts = one.split('|').map((part) => part.trim());
      const kind = parts.at(-1) ?? '';
      const right = kinds.get(kind);
      if (!right) throw new Error(`documents.txt: there is no kind ${kind}`);
      const [name = '', types = '', properties = ''] = parts;
      const question = parts.length === 2 ? questionOfFile(name) : questionOf(types, properties);
      return { name, question: readMatchQuestion(question), right };
    });
}

function questionOfFile(name: string): object {
  const mediaType = MEDIA_TYPES[name.split('.').at(-1) ?? ''] ?? '';
  if (!isRdfType(mediaType)) return { mediaType };
  const url = `https://pod.example/${name}`;
  const quads = new Parser({ baseIRI: url }).parse(readFileSync(new URL(name, FILES), 'utf8'));
  return {
    types: shapesInGraph(quads, url).slice(0, 16),
    predicates: predicatesInGraph(quads, url),
    mediaType,
  };
}

function questionOf(written: string, properties: string): object {
  const words = written.split(' ').filter((one) => one !== '');
  const after = (name: string) =>
    words.flatMap((one) => (one.startsWith(name) ? [one.slice(name.length)] : []));
  const types = words.filter((one) => !/^(shape|media)=/.test(one));
  const [first = ''] = types;
  const vocabulary = first.startsWith('http')
    ? first.replace(/[^/#]*$/, '')
    : `${first.slice(0, first.indexOf(':') + 1)}`;
  const [mediaType = 'text/turtle'] = after('media=');
  return {
    types: types.map(iriOf),
    shapes: after('shape='),
    predicates: properties
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => iriOf(one.includes(':') ? one : vocabulary + one)),
    mediaType,
  };
}

/** What no table names is of a vocabulary that nobody knows. */
function iriOf(name: string): string {
  if (name.startsWith('http')) return name;
  const iri = shapeIri(name);
  return iri.includes(':') ? iri : `https://vocabulary.example/${name.replace(':', '#')}`;
}
