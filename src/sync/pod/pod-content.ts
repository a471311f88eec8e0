import { type RdfDocument, readRdf } from '../../component/rdf/rdf-parse.js';
import { type Described, nothingDescribed } from '../../component/reading/described.js';
import { Descriptions, mayHaveCapabilities } from '../../component/reading/descriptions.js';
import { createVocabulary } from '../../component/vocabulary.js';
import type { Task } from '../../lib/pool/task.js';
import { ContainerReader, type Member } from './container.js';

/** What a body of a pod turns out to be: a container with its members, or a document with what it describes. */
export interface PodContent extends Described {
  readonly isContainer: boolean;
  readonly members: readonly Member[];
}

interface PodBody extends RdfDocument {
  /** Is it called a container by a header? */
  readonly container: boolean;
  /** Members that are read at most; the body is taken for a document, whatever it says, when absent. */
  readonly maxMembers?: number | undefined;
}

/** Reads a body that may be a container's or a document's. */
export const podContentTask: Task<PodBody, PodContent> = {
  module: 'sync/pod/pod-content.js',
  name: 'podContentTask',
  async run({ container: isCalledOne, maxMembers, ...body }) {
    // Most bodies do not so much as name the vocabulary of containers, and need not be looked through.
    const mayBeOne = maxMembers !== undefined && (isCalledOne || body.text.includes('ldp'));
    const container = mayBeOne ? new ContainerReader(body.baseIri, maxMembers) : undefined;
    const descriptions = new Descriptions(
      createVocabulary(body.namespace),
      undefined,
      mayHaveCapabilities(body.text),
    );
    await readRdf(body, (quad) => {
      descriptions.add(quad);
      container?.add(quad);
    });
    if (!container || !(isCalledOne || container.isContainer))
      return { ...descriptions.read(), isContainer: false, members: [] };
    return { ...nothingDescribed(), isContainer: true, members: container.read() };
  },
};
