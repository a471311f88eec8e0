import { type Described, Descriptions } from './codec.js';
import { type ParseOptions, readRdf } from './rdf-parse.js';

export interface DocumentOptions extends ParseOptions {
  /** See `componentsFromQuads`. */
  readonly base?: string;
}

/**
 * Parses a document and finds the components that it describes, giving way to other work. Quads are dropped as soon
 * as they have been looked at: all of them together would take ten times the memory of the text.
 * @throws MalformedInput
 */
export async function describeDocument(text: string, options: DocumentOptions): Promise<Described> {
  const descriptions = new Descriptions(options.vocabulary, options.base);
  await readRdf(text, options, (quad) => descriptions.add(quad));
  return descriptions.readInSlices();
}
