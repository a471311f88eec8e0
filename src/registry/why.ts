import { type Precedence, type Source, type SourceKind, sourceKey } from '../component/precedence.js';
import type { StatementChange } from './changes.js';
import type { Description } from './description.js';
import type { Refusal, Refusals } from './refusal.js';
import type { SourceStatus } from './source-status.js';

/** Sources, documents and refusals that are named, at most. */
const NAMED = 100;

/** Why a component is served as it is, or not at all: every source that has to do with it. */
export interface Why {
  readonly uri: string;
  /** The descriptions that are stored, the one that is served first. */
  readonly statements: readonly WhyStatement[];
  /** Descriptions of it that break a rule. */
  readonly invalid: readonly {
    readonly source: Source;
    readonly document: string;
    readonly reasons: readonly string[];
  }[];
  /** Descriptions that there were; `at`: when they were found gone, ms since the Unix epoch. */
  readonly removed: readonly { readonly source: Source; readonly document: string; readonly at: number }[];
  /** Addresses that are not read, and that it may be described by: those that its URL or document begins with. */
  readonly refused: readonly Refusal[];
  /** Sources of which not everything is known: it may be described there. */
  readonly unread: readonly UnreadSource[];
}

export interface WhyStatement {
  readonly source: Source;
  readonly document: string;
  /** When it was first held in this form, ms since the Unix epoch. */
  readonly since: number;
  readonly isServed: boolean;
  /** Why it is the one that is served, or why another one is. */
  readonly rule: string;
}

export type UnreadSource = Pick<
  SourceStatus,
  'url' | 'kind' | 'state' | 'error' | 'notice' | 'lastSuccess' | 'nextAttempt'
> & {
  /** Documents that could not be read. */
  readonly documents: readonly { readonly url: string; readonly error: string }[];
};

export interface WhyParts {
  /** Every description, the served one first. */
  readonly statements: readonly Description[];
  /** Its removals that are remembered. */
  readonly removals: readonly StatementChange[];
  readonly sources: readonly SourceStatus[];
  readonly refusals: Refusals;
  readonly precedence: Precedence;
}

export function whyOf(uri: string, parts: WhyParts): Why {
  const { statements, removals, sources, refusals, precedence } = parts;
  return {
    uri,
    statements: statements.map((one) => whyStatement(one, statements, precedence)),
    invalid: sources
      .flatMap(({ kind, url, invalid }) =>
        invalid
          .filter(({ subject }) => subject === uri)
          .map(({ document, reasons }) => ({ source: { kind, url }, document, reasons })),
      )
      .slice(0, NAMED),
    removed: removals.slice(-NAMED).map(({ source, document, at }) => ({ source, document, at })),
    refused: refusals.examples.filter(({ url }) => isBelow(uri, url)).slice(0, NAMED),
    unread: sources.filter(isUnread).slice(0, NAMED).map(unreadSource),
  };
}

function whyStatement(
  { source, document, since }: Description,
  [served]: readonly Description[],
  precedence: Precedence,
): WhyStatement {
  const isServed = served?.source === source && served.document === document;
  const rule = isServed || !served ? whyServed(source, precedence) : whyShadowed(source, served, precedence);
  return { ...{ source, document, since, isServed, rule } };
}

/** What sources are called where they are compared, in the order of precedence. */
const CLASSES = [
  'configured pods',
  'what was posted to this node',
  'learned pods',
  'configured peers',
  'learned peers',
  'samples',
];

function classOf({ kind }: Pick<Source, 'kind'>, isConfigured: boolean): number {
  const classes: Record<SourceKind, number> = {
    pod: isConfigured ? 0 : 2,
    local: 1,
    peer: isConfigured ? 3 : 4,
    sample: 5,
  };
  return classes[kind];
}

function whyServed(source: Source, precedence: Precedence): string {
  const name = CLASSES[classOf(source, precedence.isConfigured(source))];
  return `it is served: of all that describe it, ${name} come first`;
}

function whyShadowed(source: Source, served: Description, precedence: Precedence): string {
  const own = classOf(source, precedence.isConfigured(source));
  const winner = classOf(served.source, precedence.isConfigured(served.source));
  if (own !== winner) return `${CLASSES[winner]} come before ${CLASSES[own]}`;
  if (sourceKey(source) === sourceKey(served.source))
    return 'another document of the same source comes first';
  if (precedence.rank(source) !== precedence.rank(served.source)) {
    return `${served.source.url} stands before ${source.url} in the configuration`;
  }
  return `of two ${CLASSES[own]}, the one whose URL sorts first is served`;
}

/** Is all that the source says known? */
function isUnread({ state, failing, kind }: SourceStatus): boolean {
  return kind !== 'local' && (state !== 'ok' || failing.length > 0);
}

function unreadSource(status: SourceStatus): UnreadSource {
  const { url, kind, state, error, notice, lastSuccess, nextAttempt, failing } = status;
  return {
    ...{ url, kind, state },
    ...(error === undefined ? {} : { error }),
    ...(notice === undefined ? {} : { notice }),
    ...(lastSuccess === undefined ? {} : { lastSuccess }),
    ...(nextAttempt === undefined ? {} : { nextAttempt }),
    documents: failing
      .slice(0, NAMED)
      .map(({ url: document, error: reason }) => ({ url: document, error: reason })),
  };
}

/** Does a URL name the address, or something at the same origin below it? */
function isBelow(uri: string, address: string): boolean {
  return uri === address || uri.startsWith(address.endsWith('/') ? address : `${address}/`);
}
