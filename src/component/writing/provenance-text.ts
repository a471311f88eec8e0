import type { Pin } from '../pin.js';
import type { Source, SourceTrust } from '../source.js';

/** Who says something about a component, and how far the node trusts them. */
export interface Attribution {
  readonly source: Source;
  /** URL of the document that says it. */
  readonly document: string;
  readonly trust: SourceTrust;
}

/** The members that say who says it: `"source":{…}`, to be followed by `sinceText`. */
export function sourceText({ source, document, trust }: Attribution): string {
  return `"source":${JSON.stringify({ url: source.url, document, kind: source.kind, trust })}`;
}

/** The member that says which bytes were seen, and the comma behind it; nothing without a pin. */
export function pinText(pin: Pin | undefined): string {
  if (!pin) return '';
  const { integrity, changed, files, unpinned } = pin;
  return `"pin":${JSON.stringify({ integrity, changed, files, unpinned })},`;
}

/** The member that says since when, and the comma behind it; `at` in ms since the Unix epoch. */
export function sinceText(at: number): string {
  return `,"since":"${dateText(at)}",`;
}

/** Everything that comes with one change has the same date. */
const dates = new Map<number, string>();
const KEPT_DATES = 1_000;

/** ISO 8601, of 24 characters. */
export function dateText(at: number): string {
  const known = dates.get(at);
  if (known !== undefined) return known;
  if (dates.size >= KEPT_DATES) dates.clear();
  const text = new Date(at).toISOString();
  dates.set(at, text);
  return text;
}
