import { isHeldHere, LOCAL, type Precedence, type Source, type SourceTrust } from './precedence.js';
import { authoredName, graphTaken } from './provenance.js';

/**
 * How far the operator answers for what one document of a source says. To name a peer is to trust what was posted there.
 * What it passes on from pods counts as learned, unless the pod is named, too: anybody can have a pod that a peer reads.
 */
export function trustOf(source: Source, document: string, precedence: Precedence): SourceTrust {
  if (isHeldHere(source)) return 'own';
  if (!precedence.isConfigured(source)) return 'learned';
  return source.kind === 'peer' && isRelayed(document, precedence) ? 'learned' : 'configured';
}

/** Is this, of the documents of a configured peer, one that its operator does not answer for? */
export function isRelayed(document: string, { configuredPods, trustsRelays }: Precedence): boolean {
  if (trustsRelays || graphTaken(document) === undefined) return false;
  const written = authoredName(document);
  return written !== LOCAL.url && !configuredPods.some((pod) => isWithin(pod, written));
}

function isWithin(pod: string, document: string): boolean {
  return pod === document || (pod.endsWith('/') && document.startsWith(pod));
}
