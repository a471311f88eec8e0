import type { StoredDocument } from './stored-document.js';

const PREFIXES = `@prefix dc: <http://purl.org/dc/terms/>.
@prefix ldp: <http://www.w3.org/ns/ldp#>.
@prefix posix: <http://www.w3.org/ns/posix/stat#>.
@prefix xsd: <http://www.w3.org/2001/XMLSchema#>.
`;

/** The listing of a container in Turtle, with relative IRIs, as the Community Solid Server on the file system writes it. */
export function listing(modified: number, documents: ReadonlyMap<string, StoredDocument>): Uint8Array {
  const members = [...documents];
  const lines = [
    PREFIXES,
    '<> a ldp:Container, ldp:BasicContainer, ldp:Resource;',
    `    dc:modified "${time(modified)}"^^xsd:dateTime.`,
    ...members.flatMap(([name, document]) => [
      `<${name}> a ldp:Resource, <http://www.w3.org/ns/iana/media-types/${document.mediaType}#Resource>;`,
      `    dc:modified "${time(document.modified)}"^^xsd:dateTime.`,
    ]),
    `<> posix:mtime ${seconds(modified)}${members.length > 0 ? ';' : '.'}`,
    ...(members.length > 0 ? [`    ldp:contains ${members.map(([name]) => `<${name}>`).join(', ')}.`] : []),
    ...members.flatMap(([name, document]) => [
      `<${name}> posix:mtime ${seconds(document.modified)};`,
      `    posix:size ${document.body.length}.`,
    ]),
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
