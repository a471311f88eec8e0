import semver from 'semver';
import { compareText } from '../lib/compare-text.js';
import { graphTaken } from './provenance.js';

/**
 * Names the component that a description is a version of. Metadata does not say which components are versions of each other:
 * those count as such that have the same label and are described in the same place, a container or what one node has of its
 * own. So nobody can make a component of his the next version of somebody else's.
 * @param document the URL of the document, or the name of the graph, that describes it
 */
export function versionGroup(label: string, document: string): string {
  const taken = graphTaken(document);
  if (taken === undefined) return `${placeOf(document)} ${label}`;
  const peer = document.slice(0, document.length - encodeURIComponent(taken).length);
  return `${peer}${placeOf(taken)} ${label}`;
}

function placeOf(graph: string): string {
  return /^https?:/i.test(graph) ? graph.slice(0, graph.lastIndexOf('/') + 1) : graph;
}

/** Below zero when the first version is older. What is no semantic version is older than all that are. */
export function compareVersions(one: string | undefined, other: string | undefined): number {
  const [left, right] = [semver.parse(one), semver.parse(other)];
  if (left && right) return left.compare(right);
  if (left || right) return left ? 1 : -1;
  return compareText(one ?? '', other ?? '');
}
