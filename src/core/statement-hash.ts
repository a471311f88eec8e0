import type { Metadata } from '../component/metadata.js';
import { digestElement, laterHash, payloadHash } from '../component/statement-digest.js';
import { LtHash } from '../lib/lt-hash.js';

/** Between the two digests: nodes of earlier versions know the first one only. */
const SEPARATOR = '.';

/**
 * The hash of a multiset of statements. What nodes of earlier versions do not know, such as capabilities, is hashed apart from
 * the rest, which they compare: nothing changes for them, and the digest of statements without it is what it always was.
 */
export class StatementHash {
  readonly #statements: LtHash;
  /** Made when there are some: most sources have none. */
  #capabilities: LtHash | undefined;

  private constructor(statements: LtHash, capabilities?: LtHash) {
    this.#statements = statements;
    this.#capabilities = capabilities;
  }

  static empty(): StatementHash {
    return new StatementHash(LtHash.empty());
  }

  /** Reads back what `serialized` wrote, or `LtHash.serialized` in earlier versions; `undefined` for other texts. */
  static parse(text: string): StatementHash | undefined {
    const [statements = '', capabilities] = text.split(';');
    const one = LtHash.parse(statements);
    const other = capabilities === undefined ? undefined : LtHash.parse(capabilities);
    return one && (other || capabilities === undefined) ? new StatementHash(one, other) : undefined;
  }

  /** How many statements there are. */
  get count(): number {
    return this.#statements.count;
  }

  add(document: string, metadata: Metadata): void {
    this.#statements.add(elementOf(document, metadata));
    const later = laterElement(document, metadata);
    if (later) this.#ofCapabilities().add(later);
  }

  remove(document: string, metadata: Metadata): void {
    this.#statements.remove(elementOf(document, metadata));
    const later = laterElement(document, metadata);
    if (later) this.#ofCapabilities().remove(later);
  }

  /** Adds every statement of another multiset. */
  include(other: StatementHash): void {
    this.#statements.include(other.#statements);
    if (other.#capabilities) this.#ofCapabilities().include(other.#capabilities);
  }

  copy(): StatementHash {
    return new StatementHash(this.#statements.copy(), this.#capabilities?.copy());
  }

  /** `LtHash.digest` of the statements; behind a point that of their capabilities, where there are any. */
  digest(): string {
    const digest = this.#statements.digest();
    return this.#capabilities?.count ? digest + SEPARATOR + this.#capabilities.digest() : digest;
  }

  serialized(): string {
    const text = this.#statements.serialized();
    return this.#capabilities?.count ? `${text};${this.#capabilities.serialized()}` : text;
  }

  #ofCapabilities(): LtHash {
    this.#capabilities ??= LtHash.empty();
    return this.#capabilities;
  }
}

function elementOf(document: string, metadata: Metadata): string {
  return digestElement({ document, uri: metadata.uri, hash: payloadHash(metadata) });
}

function laterElement(document: string, metadata: Metadata): string | undefined {
  const hash = laterHash(metadata);
  return hash && digestElement({ document, uri: metadata.uri, hash });
}

interface DigestParts {
  readonly digest: string;
  readonly capabilities?: string | undefined;
}

/** The two parts of `StatementHash.digest`. */
export function digestParts(digest: string): DigestParts {
  const [statements = '', capabilities] = digest.split(SEPARATOR);
  return capabilities === undefined ? { digest: statements } : { digest: statements, capabilities };
}

export function joinedDigest({ digest, capabilities }: DigestParts): string {
  return capabilities === undefined ? digest : digest + SEPARATOR + capabilities;
}
