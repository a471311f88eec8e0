import type { Description } from '../catalog/description.js';
import type { Removal } from '../catalog/removal.js';
import { graphTaken } from '../component/provenance.js';
import { isOfThisNode, sameSource, sourceKey } from '../component/source.js';
import { LONGEST_SUBJECT, UNNAMED_INVALID } from '../core/document-record.js';
import { STATEMENT_CLASSES, type Standing } from '../core/precedence.js';
import type { Refusals, RefusalTally } from '../core/refusal.js';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.js';
import { fieldsOf, type SourceStatus } from './source-status.js';

/** Sources, documents and refusals that are named at most, and descriptions. */
const [NAMED, DESCRIBED] = [100, 1000];

const OF_UNREAD = ['url', 'kind', 'state', 'error', 'notice', 'lastSuccess', 'nextAttempt'] as const;
const OF_NAMED = [...OF_UNREAD, 'configured', 'components', 'documents'] as const;

export type UnreadSource = ReturnType<typeof unreadSource>;

interface WhyParts {
  /** Every description, the served one first. */
  readonly statements: readonly Description[];
  readonly removals: readonly Removal[];
  readonly sources: readonly SourceStatus[];
  readonly refusals: Pick<Refusals, 'counts'>;
  readonly refusalsAbove: RefusalTally['refusalsAbove'];
}

export type Why = ReturnType<typeof whyOf>;

/** Why a component is served as it is, or not at all; of a source or a document, what became of it. */
export function whyOf(uri: string, parts: WhyParts) {
  const { statements, removals, sources, refusals, refusalsAbove } = parts;
  const served = statements.length > 0;
  const concerned = [uri, ...removals.slice(-NAMED).map(({ document }) => graphTaken(document) ?? document)];
  const invalid = sources.flatMap(({ kind, url, invalid: all }) =>
    all
      .filter(({ subject, document }) => isSubject(subject, uri) || document === uri)
      .map(({ document, reasons }) => ({ source: { kind, url }, document, reasons })),
  );
  return {
    uri,
    served,
    /** That the uri names, or that has the document which it names. */
    source: sourceNamed(uri, sources),
    /** The descriptions that are stored, the one that is served first; `more`: those that are not named. */
    statements: whyStatements(parts),
    ...(statements.length > DESCRIBED && { more: statements.length - DESCRIBED }),
    /** Descriptions of it that break a rule, or that stand in the document. */
    invalid: invalid.slice(0, NAMED),
    /** Descriptions that there were; `at`: when they were found gone. */
    removed: removals.slice(-NAMED).map(({ source, document, at }) => ({ source, document, at })),
    /** Addresses that are not read, and with which its URL, or that of a document that it was in, begins. */
    refused: refusalsAbove(concerned).slice(0, NAMED),
    /** Addresses that are not read at all, by reason; only where no description is served. */
    elsewhere: served ? undefined : refusals.counts,
    unread: sources.filter(isUnread).slice(0, NAMED).map(unreadSource),
  };
}

/** The source with this URL; else the pod that a document belongs to, as far as its URL tells. */
function sourceNamed(uri: string, sources: readonly SourceStatus[]) {
  const found =
    sources.find((one) => !isOfThisNode(one) && isSameAddress(one.url, uri)) ??
    sources.find(({ kind, url }) => kind === 'pod' && url.endsWith('/') && uri.startsWith(url));
  return found && fieldsOf(found, OF_NAMED);
}

export function isSameAddress(one: string, other: string): boolean {
  return withoutTrailingSlashes(one) === withoutTrailingSlashes(other);
}

/** Of a long subject only the beginning is kept. */
function isSubject(subject: string, uri: string): boolean {
  return subject === uri || (subject.length >= LONGEST_SUBJECT && uri.startsWith(subject));
}

/**
 * When the source was read last and is read next, and why the description is the one that is served, or why
 * another one is.
 */
function whyStatements({ statements, sources }: WhyParts) {
  const statuses = new Map(sources.map((status) => [sourceKey(status), status]));
  return statements.slice(0, DESCRIBED).map((one, i, [first = one]) => {
    const { source, document, since } = one;
    const { lastSuccess: lastSeen, nextAttempt: nextPoll } = statuses.get(sourceKey(source)) ?? {};
    const rule = i === 0 ? whyServed(one, statements[1]) : whyShadowed(one, first);
    return { source, document, since, lastSeen, nextPoll, served: i === 0, rule };
  });
}

function wordsFor({ class: name }: Standing): string {
  return STATEMENT_CLASSES.find((row) => row.name === name)?.words ?? name;
}

function coming(standing: Standing): string {
  const words = wordsFor(standing);
  // Pods are several.
  return `${words} ${words.startsWith('what ') ? 'comes' : 'come'}`;
}

function whyServed(one: Standing, next: Standing | undefined): string {
  if (!next) return 'it is served: nothing else describes it';
  if (one.class !== next.class) return `it is served: of all that describe it, ${coming(one)} first`;
  if (sameSource(one.source, next.source)) return 'it is served: of its source, this document comes first';
  return `it is served: ${whyShadowed(next, one)}`;
}

export function whyShadowed(one: Standing, served: Standing): string {
  if (one.class !== served.class) return `${coming(served)} before ${wordsFor(one)}`;
  if (sameSource(one.source, served.source)) return 'another document of the same source comes first';
  if (one.rank !== served.rank)
    return `${served.source.url} stands before ${one.source.url} in the configuration`;
  return `of two ${wordsFor(one)}, the one whose URL sorts first is served`;
}

function isUnread({ state, failing, invalid, kind }: SourceStatus): boolean {
  const hasUnnamed = invalid.some(({ reasons }) => reasons[0] === UNNAMED_INVALID);
  return kind !== 'local' && (state !== 'ok' || failing.length > 0 || hasUnnamed);
}

function unreadSource(status: SourceStatus) {
  const documents = status.failing.slice(0, NAMED).map(({ url, error }) => ({ url, error }));
  return { ...fieldsOf(status, OF_UNREAD), documents };
}
