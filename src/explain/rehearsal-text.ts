import type { Source, SourceKind } from '../component/source.js';
import { REFUSAL_ADVICE, type RefusalReason } from '../core/refusal.js';
import { counted } from '../lib/counted.js';
import { printable } from '../lib/printable.js';
import type { ContestedComponent, Counted, Rehearsal, Rehearsed } from './rehearsal.js';

/** Lines for each kind of effect; `--json` has more. */
const SHOWN = 10;

/** A rehearsal for people: lines of plain text, without control characters. */
export function rehearsalText(rehearsal: Rehearsal): string {
  const { effects, refuses, introduces } = rehearsal;
  const { omitted } = refuses;
  const { counts, examples } = introduces.refused;
  const contested = ({ source, because, ...one }: ContestedComponent) =>
    `${nameOf(one)}, as ${wordsFor(source)} says: ${because}`;
  const room = omitted && [counted(omitted.components, 'component'), counted(omitted.documents, 'document')];
  return [
    ...about(rehearsal),
    ...section('adds', 'component', effects.adds, nameOf),
    ...section('makes trusted', 'component', effects.trusts, nameOf),
    ...section('changes', 'component', effects.changes, (one) => {
      return `${nameOf(one)}: ${one.fields.join(', ')} would differ`;
    }),
    ...section('hides', 'description', effects.hides, contested),
    ...section('is shadowed with', 'component', effects.shadowed, contested),
    ...(effects.unchanged > 0 ? [`leaves ${counted(effects.unchanged, 'component')} unchanged`] : []),
    ...section('is refused', 'description', refuses.invalid, ({ subject, reasons }) => {
      return `${subject}: ${reasons.join('; ')}`;
    }),
    ...section('is refused', 'document', refuses.documents, ({ url, error }) => `${url}: ${error}`),
    ...(room ? [`there is no room for ${room.join(' and ')}: sync.maxComponents`] : []),
    ...section('is not taken at its word for', 'pod', refuses.pods, ({ url, isDenied }) => {
      return `${url}, which ${isDenied ? 'is denied' : 'this node reads itself'}`;
    }),
    ...section('introduces', 'node', introduces.peers, addressOf),
    ...section('introduces', 'pod', introduces.pods, addressOf),
    ...Object.entries(counts).flatMap(([reason, count]) => {
      const title = `would not read for this reason (${REFUSAL_ADVICE[reason as RefusalReason]})`;
      const some = examples.filter((one) => one.reason === reason);
      return section(title, 'URL', { count, examples: some }, ({ url }) => url);
    }),
    'Nothing has been changed, and nothing is trusted yet.',
  ]
    .map(printable)
    .join('\n');
}

const KNOWN = {
  configured: 'it is configured already',
  learned: 'it is read already, because a peer told of it',
};

function about(rehearsal: Rehearsal): string[] {
  const { url, kind, known, error, components, documents } = rehearsal;
  // What does not answer has not shown what it is.
  const isUnseen = kind === 'pod' && error !== undefined && documents === 0;
  const what = isUnseen ? 'no node, and was taken for a pod' : kind === 'peer' ? 'a node' : 'a pod';
  return [
    `${url} is ${what}; ${known ? KNOWN[known] : 'this node does not read it'}`,
    ...(rehearsal.private ? [`it is read with credentials: ${EXPOSED}`] : []),
    ...(error === undefined ? [] : [`it could not be read, or not all of it: ${error}`]),
    `describes ${counted(components, 'component')} in ${counted(documents, 'document')}`,
  ];
}

const EXPOSED = 'what it describes, also what others may not read there, becomes public on this node';

function section<T>(
  verb: string,
  noun: string,
  { count, examples }: Counted<T>,
  line: (one: T) => string,
): string[] {
  if (count === 0) return [];
  const shown = examples.slice(0, SHOWN).map((one) => `  ${line(one)}`);
  const more = count > shown.length ? [`  … and ${(count - shown.length).toLocaleString('en')} more`] : [];
  return [`${verb} ${counted(count, noun)}:`, ...shown, ...more];
}

function nameOf({ label, version, uri }: Rehearsed): string {
  return `${[label, version].filter(Boolean).join(' ')} <${uri}>`;
}

function wordsFor({ kind, url }: Source): string {
  const names: Partial<Record<SourceKind, string>> = { local: 'this node itself', sample: 'a sample' };
  return names[kind] ?? `the ${kind} ${url}`;
}

function addressOf({ url, hops }: { readonly url: string; readonly hops: number }): string {
  return `${url} (${counted(hops, 'hop')})`;
}
