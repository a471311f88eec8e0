import { canonicalShape } from '../component/canonical-shape.js';
import type { Match, Missing } from './component-metadata.js';
import { documentOf, RDF_TYPE, topicsAt } from './graph-shapes.js';
import { needed } from './host-error.js';
import { actionName } from './invocation/way.js';
import type { Question } from './node-answers.js';
import type { Quad } from './quad.js';
import type { ResourceKind } from './shapes.js';
import { readPublic } from './solid-data.js';

/** Of each kind of IRI, so many are sent: nodes refuse more. */
const MOST = { types: 16, shapes: 16, predicates: 256 } as const;
/** Matches that are asked for. */
const LIMIT = 100;
/** Matches whose shapes are checked. */
const CHECKED = 5;

/** What a node is asked: classes, shapes, properties and a media type. No value of the resource is in it. */
export function matchBody(
  { shapes, conformsTo, predicates, mediaType }: ResourceKind,
  { action, trust }: { readonly action?: string; readonly trust?: string },
): Question['body'] {
  const claimed = new Set(conformsTo);
  const isShape = (one: string) => claimed.has(one);
  const types = shapes.filter((one) => !isShape(one));
  return {
    action,
    types: iris(types, MOST.types),
    shapes: iris(shapes.filter(isShape), MOST.shapes),
    predicates: iris(predicates, MOST.predicates),
    mediaType: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType) ? mediaType : undefined,
    trust,
    limit: LIMIT,
  };
}

/** What nodes take for IRIs: of more than 1,024 characters, or with others than IRIs have, they take none. */
function iris(some: readonly string[], most: number): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what IRIs have not
  const isIri = (one: string) => /^[a-z][a-z0-9+.-]*:[^\u0000-\u0020<>"{}|\\^`\u007f-\u009f]+$/i.test(one);
  return some.filter((one) => one.length <= 1024 && isIri(one)).slice(0, most);
}

/**
 * Checks the first matches against the shapes that they name. What does not conform goes behind the others that were
 * looked at: a form may show only part of it. Where a shape cannot be read, nothing is known.
 */
export async function checkShapes(
  matches: readonly Match[],
  kind: ResourceKind,
  action: string | undefined,
): Promise<readonly Match[]> {
  const { quads } = kind;
  if (!quads) return matches;
  const documents = new Map<string, Promise<readonly Quad[]>>();
  const read = (shape: string) => {
    const document = documentOf(shape);
    const reading = documents.get(document) ?? readPublic(document);
    documents.set(document, reading);
    return reading;
  };
  const check = async (match: Match) => {
    const shapes = shapesOf(match, action);
    if (shapes.length === 0) return match;
    try {
      return await checked(match, shapes, (await Promise.all(shapes.map(read))).flat(), { ...kind, quads });
    } catch (error) {
      console.warn(`the shape of ${match.label} cannot be checked:`, error);
      return match;
    }
  };
  const first = await Promise.all(matches.slice(0, CHECKED).map(check));
  const differs = (one: Match) => Number(one.conforms === false);
  return [...first.sort((one, other) => differs(one) - differs(other)), ...matches.slice(CHECKED)];
}

async function checked(
  match: Match,
  shapes: readonly string[],
  shapeQuads: readonly Quad[],
  { url, quads, predicates }: ResourceKind & { readonly quads: readonly Quad[] },
): Promise<Match> {
  const { conformanceOf } = await needed(import('./conformance.js'), 'checks shapes');
  const topics = topicsAt(quads, url);
  const { conforms, faults, properties } = await conformanceOf({ quads, topics, shapeQuads, shapes });
  const differs = `the data differs from its shape in ${faults.join(', ') || 'what it is'}`;
  const reason = conforms
    ? { code: 'conforms', text: 'the data conforms to its shape' }
    : { code: 'differs', text: differs };
  // A shape says which properties are shown: that is surer than what classes have usually.
  const isShown = (one: string) => one === RDF_TYPE || properties.has(canonicalShape(one));
  const missing: Missing = {
    types: match.missing?.types ?? [],
    predicates: predicates.filter((one) => !isShown(one)),
  };
  return { ...match, conforms, reasons: [...match.reasons, reason], missing };
}

/** The shapes of the capabilities that serve the action. */
function shapesOf({ capability = [] }: Match, action: string | undefined): string[] {
  const serving = capability.filter((one) => actionName(one.action) === actionName(action));
  return [...new Set(serving.flatMap(({ shape = [] }) => shape))];
}
