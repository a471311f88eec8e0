/** One thing that was looked at: as it should be, worth a thought, or in the way of the component. */
export interface Finding {
  readonly level: 'ok' | 'advice' | 'error';
  readonly what: string;
  /** What its author can do about it. */
  readonly fix?: string;
}

export interface ComponentReport {
  readonly uri: string;
  readonly label?: string;
  readonly findings: readonly Finding[];
}

/** What a check of a metadata document came to. */
export interface LintReport {
  /** URL or name of the document. */
  readonly document: string;
  /** About the document as a whole. */
  readonly findings: readonly Finding[];
  readonly components: readonly ComponentReport[];
}

export const ok = (what: string): Finding => ({ level: 'ok', what });
export const advice = (what: string, fix: string): Finding => ({ level: 'advice', what, fix });
export const fault = (what: string, fix: string): Finding => ({ level: 'error', what, fix });

export function hasErrors({ findings, components }: LintReport): boolean {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  return all.some(({ level }) => level === 'error');
}
