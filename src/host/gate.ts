import type { ComponentMetadata } from './component-metadata.js';
import { HostError } from './host-error.js';

type Described = Pick<ComponentMetadata, 'uri' | 'source'>;

/**
 * May a component run in this page, with all its rights? That may what was posted to the node or comes from a source that
 * its operator has named, what the page describes itself (without a `source`), and what has the hash that the page
 * gives. What a node has pinned says which bytes are meant, and not that anybody answers for them. In a sandboxed frame there
 * is nothing to take.
 */
export function mayRunInPage({ source }: Described, integrity: string | false | undefined): boolean {
  const isTrusted = source === undefined || source.trust === 'own' || source.trust === 'configured';
  return isTrusted || typeof integrity === 'string' || isSandboxed();
}

/** @throws HostError `trust` */
export function refuseStrangers(component: Described, integrity: string | false | undefined): void {
  if (mayRunInPage(component, integrity)) return;
  throw new HostError(
    'trust',
    `nobody whom the operator of the node has named answers for ${component.uri}, which ${component.source?.url} ` +
      "describes: give the hash of the module (integrity: 'sha384-…'), or have showComponent show it in a sandboxed frame",
  );
}

/** Pages from files have no origin either, and rights all the same. */
function isSandboxed(): boolean {
  return globalThis.origin === 'null' && globalThis.location?.protocol !== 'file:';
}
