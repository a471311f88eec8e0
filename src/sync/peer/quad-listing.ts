import type { Quad, Term } from '@rdfjs/types';
import { componentsFromQuads } from '../../component/codec.js';
import { isAbsoluteIri } from '../../component/metadata.js';
import { LOCAL } from '../../component/precedence.js';
import { MalformedInput } from '../../lib/faults.js';
import { breather } from '../../lib/slices.js';
import type { ListingBody, Statements } from './listing-body.js';

/** Characters of a graph's name, at most. */
const LONGEST_NAME = 2048;

/**
 * Reads components from quads, a subject at a time. What is in no graph is the peer's own words.
 * @throws MalformedInput for statements none of which is about components
 */
export async function* statementsInQuads(
  quads: readonly Quad[],
  { vocabulary, base }: ListingBody,
): AsyncGenerator<Statements> {
  const breathe = breather();
  let recognised = quads.length === 0;
  for (const graphs of (await bySubject(quads)).values()) {
    let behind: string | undefined;
    for (const [graph, statements] of graphs) {
      const described = componentsFromQuads(statements, vocabulary, base);
      recognised ||= described.components.length + described.invalid.length > 0;
      yield { graph, described, behind };
      behind = graph;
      await breathe();
    }
  }
  if (recognised) return;
  throw new MalformedInput(
    `it describes no components in the vocabulary <${vocabulary.namespace}>: does the peer use another one?`,
  );
}

/** By subject and then by graph, in the order in which they come. */
async function bySubject(quads: readonly Quad[]): Promise<Map<string, Map<string, Quad[]>>> {
  const subjects = new Map<string, Map<string, Quad[]>>();
  const breathe = breather();
  for (const quad of quads) {
    const name = nameOf(quad.graph);
    if (name === undefined) continue;
    const graphs = subjects.get(quad.subject.value) ?? new Map<string, Quad[]>();
    subjects.set(quad.subject.value, graphs);
    const statements = graphs.get(name);
    if (statements) statements.push(quad);
    else graphs.set(name, [quad]);
    await breathe();
  }
  return subjects;
}

/** Graphs with a name that cannot be kept are passed over: no node of ours makes such names. */
function nameOf({ termType, value }: Term): string | undefined {
  if (termType === 'DefaultGraph') return LOCAL.url;
  const usable =
    termType === 'NamedNode' && value.length <= LONGEST_NAME && value.isWellFormed() && isAbsoluteIri(value);
  return usable ? value : undefined;
}
