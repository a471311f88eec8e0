import { type Metadata, sameMetadata } from '../../component/metadata.js';
import { componentAddress, type Naming } from '../../component/naming.js';
import { describeDocument } from '../../component/reading/document-tasks.js';
import { componentsFromJson } from '../../component/reading/json-descriptions.js';
import { type Fault, InvalidInput, pointerTo } from '../../lib/faults.js';
import { Problem } from '../../lib/http/problem.js';
import { parseJson, type TextBody } from '../../lib/http/request/request-body.js';
import type { Parsing } from '../../lib/pool/task.js';

/** Media types that components may be posted in. */
export const POSTED_TYPES = [
  'application/json',
  'text/turtle',
  'application/ld+json',
  'application/n-triples',
] as const;

export interface BodyOptions {
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
export async function readComponents(
  body: TextBody,
  { naming, batch, parsing }: BodyOptions,
): Promise<Metadata[]> {
  if (body.mediaType === 'application/json') {
    const json = parseJson(body.text);
    if (Array.isArray(json)) refuseMoreThan(batch, json.length);
    return withoutRepeats(componentsFromJson(json, naming));
  }
  return withoutRepeats(await componentsFromRdf(body, { naming, batch, parsing }));
}

async function componentsFromRdf(
  { text, mediaType }: TextBody,
  { naming, batch, parsing }: BodyOptions,
): Promise<Metadata[]> {
  const { namespace } = naming.vocabulary;
  const baseIri = `${naming.baseUrl}/component`;
  const base = componentAddress(naming.baseUrl, '');
  const document = { text, mediaType, baseIri, namespace, strict: true, base };
  const { components, invalid, unnamed = 0 } = await describeDocument(document, parsing);
  refuseMoreThan(batch, components.length + invalid.length + unnamed);
  const faults = invalid.flatMap(({ subject, faults: found }) =>
    found.map((fault): Fault => ({ ...fault, detail: `${fault.detail} (about ${subject})` })),
  );
  if (faults.length > 0) throw new InvalidInput('The component metadata is not valid', faults);
  if (components.length === 0) {
    const detail = `no subject has terms of the vocabulary ${namespace}`;
    throw new InvalidInput('The body describes no component', [{ pointer: '', detail }]);
  }
  return components;
}

function refuseMoreThan(batch: number, count: number): void {
  if (count <= batch) return;
  throw new Problem(413, `The body has ${count} components; this node takes at most ${batch} in one request`);
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
