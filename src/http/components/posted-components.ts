import { type Metadata, sameMetadata } from '../../component/metadata.js';
import { componentAddress, type Naming } from '../../component/naming.js';
import type { Described, FaultyDescription } from '../../component/reading/described.js';
import { describeTask, postedJsonTask } from '../../component/reading/document-tasks.js';
import { MOST_FAULTS } from '../../component/reading/json-descriptions.js';
import { type Fault, InvalidInput, pointerTo } from '../../lib/faults.js';
import { Problem } from '../../lib/http/problem.js';
import { type EncodedBody, refuseExcessiveJson } from '../../lib/http/request/request-body.js';
import type { Parsing } from '../../lib/pool/task.js';

interface BodyOptions {
  readonly naming: Naming;
  /** How many components one body may have. */
  readonly batch: number;
  readonly parsing: Parsing;
}

/**
 * The components that a posted body describes, each uri once.
 * @throws MalformedInput or Problem 400 for what cannot be read, Problem 413 for more than `batch` components,
 * InvalidInput with one fault for everything that breaks a rule
 */
export async function readComponents(body: EncodedBody, options: BodyOptions): Promise<Metadata[]> {
  const read = body.mediaType === 'application/json' ? componentsFromJson : componentsFromRdf;
  return withoutRepeats(await read(body, options));
}

async function componentsFromJson(
  { text }: EncodedBody,
  { naming, batch, parsing }: BodyOptions,
): Promise<Metadata[]> {
  refuseExcessiveJson(text);
  const { baseUrl, vocabulary } = naming;
  const posted = { text, baseUrl, namespace: vocabulary.namespace, most: batch };
  const { pool, ...options } = parsing;
  const described = await pool.run(postedJsonTask, posted, options);
  refuseInvalid(described, batch, ({ faults }) => faults);
  return described.components;
}

async function componentsFromRdf(
  { text, mediaType }: EncodedBody,
  { naming, batch, parsing }: BodyOptions,
): Promise<Metadata[]> {
  const { namespace } = naming.vocabulary;
  const baseIri = `${naming.baseUrl}/component`;
  const base = componentAddress(naming.baseUrl, '');
  const document = { text, mediaType, baseIri, namespace, strict: true, base };
  const { pool, ...options } = parsing;
  const described = await pool.run(describeTask, document, options);
  // A place in a graph says nothing to its author, so the subject is named too.
  refuseInvalid(described, batch, ({ subject, faults }) =>
    faults.map((fault) => ({ ...fault, detail: `${fault.detail} (about ${subject})` })),
  );
  if (described.components.length === 0) {
    const detail = `no subject has terms of the vocabulary ${namespace}`;
    throw new InvalidInput('The body describes no component', [{ pointer: '', detail }]);
  }
  return described.components;
}

/** @throws Problem 413 for more components than a request may have, InvalidInput when one of them breaks a rule */
function refuseInvalid(
  { components, invalid, leftOut, unnamed }: Described,
  batch: number,
  faultsOf: (description: FaultyDescription) => readonly Fault[],
): void {
  const count = components.length + invalid.length + unnamed;
  if (count > batch) {
    throw new Problem(
      413,
      `The body has ${count} components; this node takes at most ${batch} in one request`,
    );
  }
  // Who posts sees what is wrong: nothing is left out silently.
  const faults = [...invalid, ...leftOut].flatMap(faultsOf);
  if (faults.length === 0) return;
  const isComplete = unnamed === 0 && faults.length < MOST_FAULTS;
  throw new InvalidInput('The component metadata is not valid', faults, isComplete);
}

/** Drops repeated components. Two different descriptions of one uri are a fault: nothing says which of them counts. */
function withoutRepeats(components: readonly Metadata[]): Metadata[] {
  const byUri = new Map<string, Metadata>();
  const faults: Fault[] = [];
  components.forEach((component, i) => {
    const before = byUri.get(component.uri);
    if (!before) byUri.set(component.uri, component);
    else if (!sameMetadata(before, component)) {
      const detail = `${component.uri} is described twice, and differently`;
      faults.push({ pointer: pointerTo([i, 'uri']), detail });
    }
  });
  if (faults.length > 0) throw new InvalidInput('The component metadata is not valid', faults);
  return [...byUri.values()];
}
