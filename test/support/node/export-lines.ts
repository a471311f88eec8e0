import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';

/** A line of an export, as docs/operators.md describes them. */
export type ExportLine = Readonly<Record<string, unknown>> & { readonly type: string };

/** What one document says of one component. */
export interface ExportedStatement extends ExportLine {
  readonly component: { readonly uri: string };
}

/** The lines of an export file, which may be compressed. */
export async function exportLines(file: string): Promise<ExportLine[]> {
  const bytes = await readFile(file);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ExportLine);
}

export async function statementsIn(file: string): Promise<ExportedStatement[]> {
  return (await exportLines(file)).filter(({ type }) => type === 'statement') as ExportedStatement[];
}
