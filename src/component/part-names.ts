import { hash } from 'node:crypto';
import { partIri } from './part-iri.js';

/**
 * Names the nodes that a description of a component consists of, where their authors have given them none that could be kept:
 * `urn:registry:part:<hash of graph and subject>:<path>`, with the places of the node and of those around it as its path, from 1. So
 * no description shares a node with another, in however many graphs it stands, and their order is known in any syntax.
 */
export function partNames(subject: string, graph: string): (path: readonly number[]) => string {
  const root = hash('sha256', `${graph}\n${subject}`, 'base64url').slice(0, 22);
  return (path) => partIri(root, path);
}
