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

const ORDER: readonly Finding['level'][] = ['error', 'advice', 'ok'];

/** What keeps a component from working stands first: who reads a report sees at once what to do. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => ORDER.indexOf(one.level) - ORDER.indexOf(other.level));
}

export function hasErrors({ findings, components }: LintReport): boolean {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  return all.some(({ level }) => level === 'error');
}
