import type { Field } from '../component/fields.js';
import type { Metadata } from '../component/metadata.js';
import { excerpt } from '../lib/excerpt.js';
import type { Fault } from '../lib/faults.js';
import { grouped } from '../lib/grouped.js';
import { ADVICE, ERRORS, FINE } from './sentences.js';

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

/** The URL that stands for a document which a visitor pasted or dropped: no such host exists (RFC 6761, section 6.4). */
export const PASTED = 'https://pasted.invalid/document';

/** The results of checking a metadata document and the modules that it names. */
export interface LintReport {
  /** URL or name of the document. */
  readonly document: string;
  /** About the document as a whole. */
  readonly findings: readonly Finding[];
  readonly components: readonly ComponentReport[];
}

/** A document as it would be after an edit, as `POST /publish/draft` answers it. */
export interface Draft {
  /** As far as it keeps the rules; not to be written while a finding is an error. Absent when nothing is left. */
  readonly turtle?: string | undefined;
  readonly changes: readonly {
    readonly kind: 'added' | 'changed' | 'unchanged' | 'removed';
    readonly uri: string;
    readonly fields: readonly Field[];
  }[];
  /** What it describes before. */
  readonly components: readonly Metadata[];
  /** What is wrong with the description that is put into it, and what would make it better. */
  readonly findings: readonly Finding[];
}

/** What fills the names in the braces of a sentence. */
type Values = Readonly<Record<string, string | number>>;

export const ok = (code: keyof typeof FINE, values?: Values) => finding('ok', FINE[code], values);
export const advice = (code: keyof typeof ADVICE, values?: Values) => finding('advice', ADVICE[code], values);
export const error = (code: keyof typeof ERRORS, values?: Values) => finding('error', ERRORS[code], values);

function finding(level: Finding['level'], sentence: string, values: Values = {}): Finding {
  const [what = '', fix] = sentence
    .split(' → ')
    .map((text) => text.replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole)));
  return fix === undefined ? { level, what } : { level, what, fix };
}

/** What breaks the rules for metadata, as reading reports it. */
export function ruleFindings(faults: readonly Fault[], code: 'brokenRule' | 'leftOut'): Finding[] {
  return told(faults.map(({ detail }) => error(code, { detail })));
}

/** Findings of one kind that are told of a component or a document, and the characters of each: some quote what they are about. */
const TOLD = { ofKind: 12, length: 480 } as const;

/**
 * Each finding once, and a dozen of each kind, with how many more there are: what a stranger wrote can break one rule a thousand
 * times. Findings are of one kind when the same mends them.
 */
export function told(findings: Iterable<Finding>): Finding[] {
  const once = new Map(
    [...findings].map((one) => [one.what, { ...one, what: excerpt(one.what, TOLD.length) }]),
  );
  const kinds = grouped(once.values(), ({ level, fix = '' }) => `${level} ${fix}`);
  return [...kinds.values()].flatMap((some) => {
    const more = some.length - TOLD.ofKind;
    if (more <= 0) return some;
    return some
      .slice(0, TOLD.ofKind + 1)
      .map((one, i) => (i < TOLD.ofKind ? one : { ...one, what: `and ${more.toLocaleString('en')} more` }));
  });
}

/** What levels are called, the worst first. */
export const LEVELS = { error: 'Error', advice: 'Advice', ok: 'OK' } as const;
const ORDER = Object.keys(LEVELS);

/** What keeps a component from working stands first: who reads a report sees at once what to do. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
}

export function isError({ level }: Finding): boolean {
  return level === 'error';
}

export function hasErrors({ findings, components }: Omit<LintReport, 'document'>): boolean {
  return findings.some(isError) || components.some((component) => component.findings.some(isError));
}
