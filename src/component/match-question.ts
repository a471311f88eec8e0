import * as z from 'zod';
import { isAbsoluteIri } from '../lib/iri.js';
import { canonicalShapes } from './canonical-shape.js';
import { DEFAULT_ACTION, mediaType } from './capability.js';
import { queriedName } from './capability-query.js';
import { trusts } from './query.js';
import { shapeIri, WRITE_SHAPES } from './shape-names.js';
import { invalidInput, LIMITS, text } from './values.js';

/** Bounds of a question: each class is looked for with those that are close to it. */
const BOUNDS = { types: 16, shapes: 16, predicates: 256, limit: 100, usual: 20 } as const;

const iri = text(LIMITS.text)
  .overwrite(shapeIri)
  .refine(isAbsoluteIri, `is no absolute IRI: ${WRITE_SHAPES}`);
const iris = (most: number) =>
  z.array(iri, 'must be an array of IRIs').max(most, `may have at most ${most} values`);

/** What the body of `POST /match` is checked against. */
export const matchSchema = z.strictObject({
  action: text(LIMITS.text)
    .optional()
    .describe(`what is to be done: \`odrl:\` and \`ac:\` names, or an IRI; ${DEFAULT_ACTION} when absent`),
  types: iris(BOUNDS.types).optional().describe('classes of the data'),
  shapes: iris(BOUNDS.shapes).optional().describe('shapes that the data says that it conforms to'),
  predicates: iris(BOUNDS.predicates).optional().describe('properties that the data has'),
  mediaType: mediaType.optional().describe('media type of the resource, where it is known'),
  trust: trusts
    .optional()
    .describe('as in queries: `own`; `configured`, which includes own; or `learned` alone'),
  limit: z
    .int('must be a whole number')
    .min(1, 'must be 1 at least')
    .max(BOUNDS.limit, `may be ${BOUNDS.limit} at most`)
    .optional()
    .describe(`most matches; ${BOUNDS.usual} when absent`),
});

/** What data is, without its values; IRIs are canonical. */
export type MatchQuestion = Readonly<ReturnType<typeof readMatchQuestion>>;

/** Reads the parsed JSON body of a request. @throws InvalidInput naming every fault */
export function readMatchQuestion(body: unknown) {
  const parsed = matchSchema.safeParse(body);
  if (!parsed.success) {
    const whole = `must be a JSON object of ${KEYS}`;
    throw invalidInput('The question is not valid', parsed.error, {
      whole,
      unknown: `unknown; there are ${KEYS}`,
    });
  }
  const { action = DEFAULT_ACTION, trust, limit = BOUNDS.usual } = parsed.data;
  const distinct = (some: readonly string[] = []) => canonicalShapes([...new Set(some)]);
  return {
    /** As capabilities name it. */
    action: queriedName(action),
    types: distinct(parsed.data.types),
    shapes: distinct(parsed.data.shapes),
    predicates: distinct(parsed.data.predicates),
    /** In lower case, without parameters. */
    mediaType: parsed.data.mediaType?.split(';')[0]?.trim().toLowerCase(),
    /** How far the operator must answer for a component; whoever says it when absent. */
    trust,
    limit,
  };
}

const KEYS = Object.keys(matchSchema.shape).join(', ');
