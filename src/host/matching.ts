import { canonicalShape } from '../component/canonical-shape.js';
import { isBroken, type Match, type Missing } from './candidate.js';
import { documentOf, RDF_TYPE, topicsOf } from './graph-shapes.js';
import { needed } from './host-error.js';
import { actionName } from './invocation/way.js';
import type { Quad } from './quad.js';
import type { ResourceKind } from './shapes.js';

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
): string {
  const isShape = (one: string) => conformsTo.includes(one);
  return JSON.stringify({
    action,
    types: iris(
      shapes.filter((one) => !isShape(one)),
      MOST.types,
    ),
    shapes: iris(shapes.filter(isShape), MOST.shapes),
    predicates: iris(predicates, MOST.predicates),
    mediaType: /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType) ? mediaType : undefined,
    trust,
    limit: LIMIT,
  });
}

/** What nodes take for IRIs: of more than 1,024 characters, or with others than IRIs have, they take none. */
function iris(some: readonly string[], most: number): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what IRIs have not
  const isIri = (one: string) => /^[a-z][a-z0-9+.-]*:[^\u0000-\u0020<>"{}|\\^`\u007f-\u009f]+$/i.test(one);
  return some.filter((one) => one.length <= 1024 && isIri(one)).slice(0, most);
}

/**
 * Checks the first matches against the shapes that they name. What does not conform goes behind the others that were
 * looked at: a form may show only part of it; and what cannot run stays last. Where a shape cannot be read, nothing is known.
 *
 * @param readPublic reads the document of a shape, without credentials
 */
export async function checkShapes(
  found: readonly Match[],
  { url, quads, predicates, shapes: classes }: ResourceKind,
  action: string | undefined,
  readPublic: (document: string) => Promise<readonly Quad[]>,
): Promise<readonly Match[]> {
  const written = new Map([...classes, ...predicates].map((one) => [canonicalShape(one), one]));
  const matches = found.map((match) => withWritten(match, (iri) => written.get(canonicalShape(iri)) ?? iri));
  const first = matches.slice(0, CHECKED);
  if (!quads || !first.some((match) => shapesOf(match, action).length > 0)) return matches;
  const documents = new Map<string, Promise<readonly Quad[]>>();
  const read = (shape: string) => {
    const document = documentOf(shape);
    const reading = documents.get(document) ?? readPublic(document);
    documents.set(document, reading);
    return reading;
  };
  const topics = url === documentOf(url) ? topicsOf(quads, url) : [url];
  const check = async (match: Match): Promise<Match> => {
    const shapes = shapesOf(match, action);
    if (shapes.length === 0) return match;
    try {
      const { conformanceOf } = await needed(import('./conformance.js'), 'checks shapes');
      const shapeQuads = (await Promise.all(shapes.map(read))).flat();
      const { conforms, faults, properties } = await conformanceOf({ quads, topics, shapeQuads, shapes });
      const reason = conforms
        ? { code: 'conforms', text: 'the data conforms to its shape' }
        : {
            code: 'differs',
            text: `the data differs from its shape in ${faults.join(', ') || 'what it is'}`,
          };
      const missing = missingBeside(match, predicates, properties);
      return { ...match, conforms, reasons: [...match.reasons, reason], missing };
    } catch (error) {
      console.warn(`the shape of ${match.label} cannot be checked:`, error);
      return match;
    }
  };
  const checked = await Promise.all(first.map(check));
  const rank = (one: Match) => (isBroken(one) ? 2 : one.conforms === false ? 1 : 0);
  return [...checked.sort((one, other) => rank(one) - rank(other)), ...matches.slice(CHECKED)];
}

/** What is missing, as the resource spells it: nodes name the canonical spelling. */
function withWritten(match: Match, written: (iri: string) => string): Match {
  const { missing } = match;
  if (!missing) return match;
  const { types, predicates } = missing;
  return { ...match, missing: { types: types.map(written), predicates: predicates.map(written) } };
}

/** The shapes of the capabilities that serve the action. */
function shapesOf({ capability = [] }: Match, action: string | undefined): string[] {
  const serving = capability.filter((one) => actionName(one.action) === actionName(action));
  return [...new Set(serving.flatMap(({ shape = [] }) => shape))];
}

/** A shape says which properties are shown: that is surer than what classes have usually. */
function missingBeside(
  { missing }: Match,
  predicates: readonly string[],
  shown: ReadonlySet<string>,
): Missing {
  const isShown = (one: string) => one === RDF_TYPE || shown.has(canonicalShape(one));
  return { types: missing?.types ?? [], predicates: predicates.filter((one) => !isShown(one)) };
}
