import type { Source, SourceKind } from '../component/source.js';
import type { RefusalReason } from '../core/take.js';
import { counted } from '../lib/counted.js';
import { printable } from '../lib/printable.js';
import { REFUSAL_ADVICE } from './refusal.js';
import type { Counted, Rehearsal, Rehearsed } from './rehearsal.js';

/** Lines for each kind of effect; `--json` has more. */
const SHOWN = 10;

/** A rehearsal for people: lines of plain text, without control characters. */
export function rehearsalText(rehearsal: Rehearsal): string {
  const { effects, refuses, introduces } = rehearsal;
  const { unchanged } = effects;
  const { omitted } = refuses;
  const { counts, examples } = introduces.refused;
  const lines = [
    ...about(rehearsal),
    ...section('adds', 'component', effects.adds, nameOf),
    ...section('makes trusted', 'component', effects.trusts, nameOf),
    ...section('changes', 'component', effects.changes, (one) => {
      return `${nameOf(one)}: ${one.fields.join(', ')} would differ`;
    }),
    ...section('hides', 'description', effects.hides, (one) => {
      return `${nameOf(one)}, as ${wordsFor(one.source)} says: ${one.because}`;
    }),
    ...section('is shadowed with', 'component', effects.shadowed, (one) => {
      return `${nameOf(one)}, behind ${wordsFor(one.source)}: ${one.because}`;
    }),
    ...(unchanged > 0 ? [`leaves ${counted(unchanged, 'component')} unchanged`] : []),
    ...section('is refused', 'description', refuses.invalid, ({ subject, reasons }) => {
      return `${subject}: ${reasons.join('; ')}`;
    }),
    ...section('is refused', 'document', refuses.documents, ({ url, error }) => `${url}: ${error}`),
    ...(omitted
      ? [
          `there is no room for ${counted(omitted.components, 'component')} and ${counted(omitted.documents, 'document')}: sync.maxComponents`,
        ]
      : []),
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
  ];
  return lines.map(printable).join('\n');
}

const KNOWN = {
  configured: 'it is configured already',
  learned: 'it is read already, because a peer told of it',
};

function about({ url, kind, known, error, components, documents, ...rehearsal }: Rehearsal): string[] {
  // What does not answer has not shown what it is.
  const isSeen = kind === 'peer' || error === undefined || documents > 0;
  const seen = kind === 'peer' ? 'a node' : 'a pod';
  const what = isSeen ? seen : 'no node, and was taken for a pod';
  const exposed =
    'it is read with credentials: what it describes, also what others may not read there, becomes public on this node';
  return [
    `${url} is ${what}; ${known ? KNOWN[known] : 'this node does not read it'}`,
    ...(rehearsal.private ? [exposed] : []),
    ...(error === undefined ? [] : [`it could not be read, or not all of it: ${error}`]),
    `describes ${counted(components, 'component')} in ${counted(documents, 'document')}`,
  ];
}

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
