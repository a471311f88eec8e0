import { parseIntegrity } from '../component/integrity.js';
import { type Finding, fault } from '../lint/finding.js';
import type { ComponentChange } from './edit-document.js';

/**
 * What is wrong with a change of a document: other bytes of a module under a version that stays. Nodes keep the bytes that a version
 * had first, and from then on hosts refuse the component (design, section 15).
 */
export function changeFindings(changes: readonly ComponentChange[]): Finding[] {
  return changes
    .filter(hasOtherBytes)
    .map(({ component: { label, version } }) =>
      version === undefined
        ? fault(
            `the module of ${label} has changed, and has no version`,
            'give it a version, and raise it with each change: hosts run no other bytes of a version than its first',
          )
        : fault(
            `the module of ${label} has changed, and its version is ${version} as before`,
            'raise the version: hosts run no other bytes of a version than its first',
          ),
    );
}

function hasOtherBytes({ before, component }: ComponentChange): boolean {
  if (!before || before.uri !== component.uri || before.version !== component.version) return false;
  const [was, is] = [before.integrity, component.integrity].map((text) => parseIntegrity(text ?? ''));
  // Hashes of two algorithms cannot be compared.
  if (!was || !is || was.algorithm !== is.algorithm) return false;
  return !is.digests.some((digest) => was.digests.includes(digest));
}
