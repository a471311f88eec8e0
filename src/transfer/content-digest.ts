import { createHash } from 'node:crypto';
import { sourceKey } from '../component/source.js';
import { compareText } from '../lib/compare-text.js';
import { LtHash } from '../lib/lt-hash.js';
import type { ExportRecord } from './export-record.js';

/** The digest of everything that a node holds, part by part, whatever the order in which it is read. */
export class ContentDigest {
  readonly #parts = new Map<string, LtHash>();

  add(record: ExportRecord): void {
    // The key is a file of the data directory, and not in the store.
    if (record.type === 'key') return;
    const part = partOf(record);
    const hash = this.#parts.get(part) ?? LtHash.empty();
    this.#parts.set(part, hash);
    if (record.type !== 'quads') hash.add(canonicalJson(record));
    // An engine gives quads in lists of any length.
    else for (const quad of record.quads) hash.add(JSON.stringify([record.graph, quad]));
  }

  /** Names of the parts, with the number of their elements. */
  counts(): Map<string, number> {
    return new Map([...this.#parts].map(([part, { count }]) => [part, count]));
  }

  /** Over all parts: 32 hexadecimal digits. */
  overall(): string {
    const texts = [...this.#parts].map(([part, hash]) => `${part} ${hash.count} ${hash.digest()}\n`);
    return createHash('sha256').update(texts.sort().join('')).digest('hex').slice(0, 32);
  }

  /** The parts that differ from those that there should be, as parts of a sentence. */
  differences(expected: ContentDigest): string[] {
    const parts = new Set([...expected.#parts.keys(), ...this.#parts.keys()]);
    return [...parts].flatMap((part) => {
      const [is, should] = [this.#parts.get(part), expected.#parts.get(part)];
      if (is?.digest() === should?.digest()) return [];
      return [`${part} (${is?.count ?? 0} instead of ${should?.count ?? 0})`];
    });
  }
}

function partOf(record: Exclude<ExportRecord, { type: 'key' }>): string {
  switch (record.type) {
    case 'statement':
      return `statements ${sourceKey(record.source)}`;
    case 'document':
    case 'source':
      return `records ${sourceKey(record.source)}`;
    case 'pin':
      return 'pins';
    case 'network':
      return 'network';
    default:
      return 'connections';
  }
}

/** JSON with the keys of all objects in one order: a file of another release may have them otherwise. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => compareText(one, other)));
  });
}
