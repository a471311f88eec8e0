import type { SourceKind } from '../component/source.js';
import type { RefusalReason } from '../core/take.js';
import { counted } from '../lib/counted.js';
import { printable } from '../lib/printable.js';
import { REFUSAL_ADVICE } from './refusal.js';
import type { ContestedComponent, Counted, Rehearsal, Rehearsed } from './rehearsal.js';

/** Lines for each kind of effect; `--json` has more. */
const SHOWN = 10;

/** A rehearsal for people: lines of plain text, without control characters. */
export function rehearsalText(rehearsal: Rehearsal): string {
  const { effects, refuses, introduces } = rehearsal;
  const { adds, trusts, changes, hides, shadowed, unchanged } = effects;
  const lines = [
    ...about(rehearsal),
    ...section('adds', adds, 'component', nameOf),
    ...section('makes trusted', trusts, 'component', nameOf),
    ...section(
      'changes',
      changes,
      'component',
      (one) => `${nameOf(one)}: ${one.fields.join(', ')} would differ`,
    ),
    ...section('hides', hides, 'description', (one) => contested(one, 'as', 'says')),
    ...section('is shadowed with', shadowed, 'component', (one) => contested(one, 'behind')),
    ...(unchanged > 0 ? [`leaves ${counted(unchanged, 'component')} unchanged`] : []),
    ...section(
      'is refused',
      refuses.invalid,
      'description',
      (one) => `${one.subject}: ${one.reasons.join('; ')}`,
    ),
    ...section('is refused', refuses.documents, 'document', (one) => `${one.url}: ${one.error}`),
    ...room(refuses.omitted),
    ...section('is not taken at its word for', refuses.pods, 'pod', ({ url, isDenied }) =>
      isDenied ? `${url}, which is denied` : `${url}, which this node reads itself`,
    ),
    ...section('introduces', introduces.peers, 'node', addressOf),
    ...section('introduces', introduces.pods, 'pod', addressOf),
    ...refusedAddresses(introduces.refused),
    'Nothing has been changed, and nothing is trusted yet.',
  ];
  return lines.map(printable).join('\n');
}

function about(rehearsal: Rehearsal): string[] {
  const { url, kind, known, error, components, documents } = rehearsal;
  const states = {
    configured: 'it is configured already',
    learned: 'it is read already, because a peer told of it',
  };
  const state = known ? states[known] : 'this node does not read it';
  // What does not answer has not shown what it is.
  const isSeen = kind === 'peer' || error === undefined || documents > 0;
  const seen = kind === 'peer' ? 'a node' : 'a pod';
  return [
    `${url} is ${isSeen ? seen : 'no node, and was taken for a pod'}; ${state}`,
    ...(rehearsal.private
      ? [
          'it is read with credentials: what it describes, also what others may not read there, becomes public on this node',
        ]
      : []),
    ...(error === undefined ? [] : [`it could not be read, or not all of it: ${error}`]),
    `describes ${counted(components, 'component')} in ${counted(documents, 'document')}`,
  ];
}

function section<T>(
  verb: string,
  { count, examples }: Counted<T>,
  noun: string,
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

function contested(one: ContestedComponent, ...[before, after = '']: string[]): string {
  const { kind, url } = one.source;
  const names: Partial<Record<SourceKind, string>> = { local: 'this node itself', sample: 'a sample' };
  const source = [before, names[kind] ?? `the ${kind} ${url}`, after].join(' ').trimEnd();
  return `${nameOf(one)}, ${source}: ${one.because}`;
}

function addressOf({ url, hops }: { readonly url: string; readonly hops: number }): string {
  return `${url} (${counted(hops, 'hop')})`;
}

function room(omitted: Rehearsal['refuses']['omitted']): string[] {
  if (!omitted) return [];
  const { components, documents } = omitted;
  return [
    `there is no room for ${counted(components, 'component')} and ${counted(documents, 'document')}: sync.maxComponents`,
  ];
}

function refusedAddresses({ counts, examples }: Rehearsal['introduces']['refused']): string[] {
  return Object.entries(counts).flatMap(([reason, count]) => [
    `is told of ${counted(count, 'address', 'addresses')} that would not be read: ${REFUSAL_ADVICE[reason as RefusalReason]}`,
    ...examples
      .filter((one) => one.reason === reason)
      .slice(0, SHOWN)
      .map(({ url }) => `  ${url}`),
  ]);
}
