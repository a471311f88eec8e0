import { unintendedCount } from '../../explain/refusal.js';
import { fingerprintOf } from '../../http/entity-tags.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import type { NodeView } from './view.js';

/**
 * How the node fares, at the foot of every page, in the words of `/health`. Nothing is green while its storage or all of its sources
 * fail, or while it does not read something that it was told of and nobody meant to be left out.
 */
export function stateOf(node: NodeView) {
  const { health, baseUrl, refused = {} } = node;
  const network = `${rootPath(baseUrl)}/network`;
  if (health !== 'serving') return <span class={`state ${health}`}>{health}</span>;
  if (node.isStorageFailing || node.allSourcesFail) {
    const what = node.isStorageFailing ? (
      'storage'
    ) : (
      <>
        all <a href={network}>sources</a>
      </>
    );
    return (
      <>
        {health}, <span class="state failing">{what} failing</span>: what you see may be old
      </>
    );
  }
  const count = unintendedCount({ counts: refused });
  if (count === 0) return <span class="state serving">{health}</span>;
  const link = <a href={`${network}#refused`}>{counted(count, 'address', 'addresses')} refused</a>;
  return (
    <>
      {health}, <span class="state attention">{link}</span>
    </>
  );
}

/** The way to what the operator decides, and whether something waits there. */
export function operatorNotice({ baseUrl, refused = {} }: NodeView) {
  const waiting = refused['not-approved'] ?? 0;
  return (
    <>
      <a href={`${rootPath(baseUrl)}/network#operator`}>/network</a>
      {waiting > 0 && ` (${counted(waiting, 'address waits', 'addresses wait')} for approval)`}
    </>
  );
}

/** For the `ETag` of a page what no revision tells: how the node fares, and how modules were at the last look. */
export function pageVariant(node: NodeView, looks: readonly (ModuleLook | undefined)[] = []): string {
  return `html-${fingerprintOf([JSON.stringify([node, looks])])}`;
}
