import type { Quad } from '@rdfjs/types';
import { compareText } from '../../lib/compare-text.js';
import type { Connection } from '../records/connection.js';
import { resourcesOf } from '../records/connection.js';
import type { Invite } from '../records/invite.js';
import type { RecordReads } from '../records/records.js';
import { uriKey } from '../uri.js';
import type { DocumentView, HolderPage } from './holder-page.js';

/** Documents that the page names, and statements that are counted of each: a visit costs no more, however much is stored. */
const NAMED_DOCUMENTS = 20;
const COUNTED_STATEMENTS = 1000;
const NAMED_KINDS = 12;

/** The connection that an invite names, if it lasts and is its holder's. */
export async function connectionOf(
  records: RecordReads,
  { connection: uri, holder }: Pick<Invite, 'connection' | 'holder'>,
): Promise<Connection | undefined> {
  return uri === null ? undefined : (await records.get('connection', { holder, uri }))?.record;
}

/** What the holder is told of their connection: which documents are read, when they were, and what is kept of them. */
export async function connectionView(
  records: RecordReads,
  connection: Connection,
): Promise<NonNullable<HolderPage['connection']>> {
  const stored = new Map((await records.resourcesOf(connection)).map((one) => [uriKey(one.uri), one]));
  const uris = resourcesOf(connection);
  const documents: DocumentView[] = [];
  for (const uri of uris.slice(0, NAMED_DOCUMENTS)) {
    const { refreshed = null, error = null } = stored.get(uriKey(uri)) ?? {};
    const quads =
      refreshed === null
        ? []
        : await records.triples({ connection: connection.uri, uri }, COUNTED_STATEMENTS);
    const isMore = quads.length > COUNTED_STATEMENTS;
    const statements = isMore ? COUNTED_STATEMENTS : quads.length;
    documents.push({ uri, refreshed, error, statements, isMore, kinds: kindsOf(quads) });
  }
  const { source, state } = connection;
  return { source, isRead: state === 'CONNECTED', documents, others: uris.length - documents.length };
}

/** What statements are about, in the last words of their predicates: without the values, which a link should not show. */
function kindsOf(quads: readonly Quad[]): string[] {
  const words = new Set(quads.map(({ predicate }) => predicate.value.replace(/^.*[/#:]/s, '')));
  words.delete('');
  const all = [...words].sort(compareText);
  return all.length > NAMED_KINDS ? [...all.slice(0, NAMED_KINDS), '…'] : all;
}
