import { createHash } from 'node:crypto';
import { sourceKey } from '../component/source.js';
import { digestElement, laterHash, payloadHash } from '../component/statement-digest.js';
import { compareText } from '../lib/compare-text.js';
import { LtHash } from '../lib/lt-hash.js';
import type { DigestLine, ExportRecord } from './export-record.js';

/** The part that holds what the connection service remembers. */
const CONNECTIONS = 'connections';

/**
 * The digests of everything that a node holds, part by part, whatever the order in which it is read: what each source
 * says (the same digest as in the change feed), what is remembered of each source, the network lists, the connections.
 */
export class ContentDigest {
  readonly #parts = new Map<string, LtHash>();

  add(record: ExportRecord): void {
    for (const [part, element] of elementsOf(record)) {
      const hash = this.#parts.get(part) ?? LtHash.empty();
      this.#parts.set(part, hash);
      hash.add(element);
    }
  }

  /** One line for each part, sorted by its name. */
  lines(): DigestLine[] {
    return [...this.#parts]
      .sort(([one], [other]) => compareText(one, other))
      .map(([part, hash]) => ({ type: 'digest', part, count: hash.count, digest: hash.digest() }));
  }
}

/** The digest over all parts: 32 hexadecimal digits. */
export function overallDigest(lines: readonly DigestLine[]): string {
  const texts = lines.map(({ part, count, digest }) => `${part} ${count} ${digest}\n`);
  return createHash('sha256').update(texts.sort().join('')).digest('hex').slice(0, 32);
}

/** The parts that differ, with what is there and what should be, as parts of a sentence. */
export function differences(found: readonly DigestLine[], expected: readonly DigestLine[]): string[] {
  const byPart = (lines: readonly DigestLine[]) => new Map(lines.map((line) => [line.part, line]));
  const [there, wanted] = [byPart(found), byPart(expected)];
  return [...new Set([...wanted.keys(), ...there.keys()])].flatMap((part) => {
    const [is, should] = [there.get(part), wanted.get(part)];
    if (is?.digest === should?.digest && is?.count === should?.count) return [];
    return [`${part} (${is?.count ?? 0} instead of ${should?.count ?? 0})`];
  });
}

/** What a record adds to which part. */
function* elementsOf(record: ExportRecord): Generator<[part: string, element: string]> {
  switch (record.type) {
    case 'statement': {
      const { source, document, component } = record;
      const later = laterHash(component);
      const hash = later ? `${payloadHash(component)}\n${later}` : payloadHash(component);
      return yield [`statements ${sourceKey(source)}`, digestElement({ document, uri: component.uri, hash })];
    }
    case 'document':
    case 'source':
      return yield [`records ${sourceKey(record.source)}`, canonicalJson(record)];
    case 'pin':
      return yield ['pins', canonicalJson(record)];
    case 'network':
      return yield ['network', canonicalJson(record)];
    case 'record':
      return yield [CONNECTIONS, canonicalJson(record)];
    case 'quads':
      // An engine gives quads in lists of any length.
      for (const quad of record.quads) yield [CONNECTIONS, JSON.stringify([record.graph, quad])];
      return;
    case 'key':
      // It is a file of the data directory, and not in the store.
      return;
  }
}

/** JSON with the keys of all objects in one order, because not every engine keeps theirs. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => compareText(one, other)));
  });
}
