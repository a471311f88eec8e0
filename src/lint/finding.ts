import { excerpt } from '../lib/excerpt.js';
import type { Fault } from '../lib/faults.js';

/** One result of a check: `ok`, `advice` to consider, or an `error` that keeps the component from working. */
export interface Finding {
  readonly level: 'ok' | 'advice' | 'error';
  readonly what: string;
  /** What the author can do about it. */
  readonly fix?: string;
}

export interface ComponentReport {
  readonly uri: string;
  readonly label?: string;
  readonly findings: readonly Finding[];
}

/** The results of checking a metadata document and the modules that it names. */
export interface LintReport {
  /** URL or name of the document. */
  readonly document: string;
  /** About the document as a whole. */
  readonly findings: readonly Finding[];
  readonly components: readonly ComponentReport[];
}

export const ok = (what: string): Finding => ({ level: 'ok', what });
export const advice = (what: string, fix: string): Finding => ({ level: 'advice', what, fix });
/** A rule: what to advise where something is so. */
export const adviceIf = (isSo: boolean, what: string, fix: string): Finding[] =>
  isSo ? [advice(what, fix)] : [];
export const fault = (what: string, fix: string): Finding => ({ level: 'error', what, fix });

/** What breaks the rules for metadata; `fix`: what to do about it. */
export function faultFindings(faults: readonly Fault[], fix: string): Finding[] {
  return told(faults.map(({ detail }) => fault(detail, fix)));
}

/** Findings of one kind that are told of a component or a document, and the characters of each: some quote what they are about. */
const TOLD = { ofKind: 12, length: 480 } as const;

/**
 * Each finding once, and a dozen of each kind, with how many more there are: what a stranger wrote can break one rule a thousand
 * times. Findings are of one kind when the same mends them.
 */
export function told(findings: readonly Finding[]): Finding[] {
  const kinds = new Map<string, Finding[]>();
  for (const one of new Map(findings.map((finding) => [finding.what, finding])).values()) {
    const finding = { ...one, what: excerpt(one.what, TOLD.length) };
    const kind = `${finding.level} ${finding.fix ?? ''}`;
    const alike = kinds.get(kind);
    if (alike) alike.push(finding);
    else kinds.set(kind, [finding]);
  }
  return [...kinds.values()].flatMap((some) => {
    const [first, more] = [some[0], some.length - TOLD.ofKind];
    if (!first || more <= 0) return some;
    return [...some.slice(0, TOLD.ofKind), { ...first, what: `and ${more.toLocaleString('en')} more` }];
  });
}

const ORDER: readonly Finding['level'][] = ['error', 'advice', 'ok'];

/** What keeps a component from working stands first: who reads a report sees at once what to do. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
}

export function hasErrors({ findings, components }: LintReport): boolean {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  return all.some(({ level }) => level === 'error');
}
