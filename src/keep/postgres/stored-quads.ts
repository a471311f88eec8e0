import { createHash } from 'node:crypto';
import type { NamedNode, Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { readTerm, termsText, termText } from '../terms-text.js';
import { damagedEntry } from './damaged-entry.js';
import type { Session } from './database.js';

/** Quads that one statement reads or writes. */
const PORTION = 1_000;

interface QuadColumns {
  readonly quad: string;
  readonly terms: string;
}

/** The quads of one service, in one session. */
export class StoredQuads {
  readonly #session: Session;
  readonly #service: string;

  constructor(session: Session, service: string) {
    this.#session = session;
    this.#service = service;
  }

  /** In the order of their hashes. @throws KeepDamaged */
  async *graph(graph: NamedNode): AsyncGenerator<readonly Quad[]> {
    for (let last = ''; ; ) {
      const found = await this.#session.query<QuadColumns>(
        `SELECT q.quad, q.terms FROM keep.quad AS q WHERE q.service = $1 AND q.graph = $2 AND q.quad > $3
         ORDER BY q.quad LIMIT ${PORTION}`,
        [this.#service, graphHash(graph), last],
      );
      if (found.length > 0) yield found.map((one) => this.#quadOf(one, graph));
      if (found.length < PORTION) return;
      last = found.at(-1)?.quad ?? last;
    }
  }

  async write({
    remove,
    put,
  }: {
    readonly remove: readonly Quad[];
    readonly put: readonly Quad[];
  }): Promise<void> {
    for (let at = 0; at < remove.length; at += PORTION) {
      const some = remove.slice(at, at + PORTION);
      await this.#session.query(
        `DELETE FROM keep.quad WHERE service = $1
         AND (graph, quad) IN (SELECT t.graph, t.quad FROM unnest($2::text[], $3::text[]) AS t (graph, quad))`,
        [
          this.#service,
          some.map(({ graph }) => graphHash(graph)),
          some.map((quad) => hashOf(termsText(quad))),
        ],
      );
    }
    for (let at = 0; at < put.length; at += PORTION) {
      const some = put.slice(at, at + PORTION);
      const terms = some.map(termsText);
      await this.#session.query(
        `INSERT INTO keep.quad (service, graph, quad, terms) SELECT $1, t.graph, t.quad, t.terms
         FROM unnest($2::text[], $3::text[], $4::text[]) AS t (graph, quad, terms) ON CONFLICT DO NOTHING`,
        [this.#service, some.map(({ graph }) => graphHash(graph)), terms.map(hashOf), terms],
      );
    }
  }

  #quadOf({ quad, terms }: QuadColumns, graph: NamedNode): Quad {
    if (hashOf(terms) !== quad)
      throw damagedEntry(
        this.#session.place,
        `a quad of the graph <${graph.value}> is not what was written`,
        `keep.quad WHERE service = '${this.#service}' AND graph = '${graphHash(graph)}' AND quad = '${quad}'`,
      );
    const [subject, predicate, object] = (JSON.parse(terms) as string[][]).map(readTerm);
    return DataFactory.quad(
      subject as never,
      predicate as never,
      object as never,
      DataFactory.namedNode(graph.value),
    );
  }
}

function graphHash(graph: Term): string {
  return hashOf(JSON.stringify(termText(graph)));
}

/** 128 bits of SHA-256 in hexadecimal, which every collation orders alike. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
