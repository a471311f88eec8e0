import type { Pin } from '../pin.js';
import type { Source, SourceTrust } from '../source.js';

/** Who says something about a component, and how far the node trusts them. */
export interface Attribution {
  readonly source: Source;
  /** URL of the document that says it. */
  readonly document: string;
  readonly trust: SourceTrust;
}

/** Behind it stands the date of `since`, of 24 characters, and `",`. */
const SINCE = ',"since":"';
const DATE = 24;
/** How far in front of the plain names the date of `since` begins, in bytes. */
export const SINCE_BEFORE_NAMES = DATE + 2;
/** Of `sinceText`, in characters and bytes. */
export const SINCE_LENGTH = SINCE.length + SINCE_BEFORE_NAMES;

/** The members that say who says it: `"source":{…}`, to be followed by `sinceText`. */
export function sourceText({ source, document, trust }: Attribution): string {
  return `"source":${JSON.stringify({ url: source.url, document, kind: source.kind, trust })}`;
}

/** The member that says which bytes were seen, and the comma behind it; nothing without a pin. */
export function pinText(pin: Pin | undefined): string {
  if (!pin) return '';
  const { integrity, changed, files, unpinned } = pin;
  // In ASCII, because its length is taken for that of its bytes.
  const text = JSON.stringify({ integrity, changed, files, unpinned });
  return `"pin":${text.replace(/[\u0080-\uffff]/g, escaped)},`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The member that says since when, and the comma behind it; `at` in ms since the Unix epoch. */
export function sinceText(at: number): string {
  return `${SINCE}${dateText(at)}",`;
}

/** Everything that comes with one change has the same date. */
let latest = { at: Number.NaN, text: '' };

/** ISO 8601, of 24 characters. */
export function dateText(at: number): string {
  if (latest.at !== at) latest = { at, text: new Date(at).toISOString() };
  return latest.text;
}

/** A listing object (see `listingText`) with these members before its plain names. */
export function withProvenance(text: string, provenance: string): string {
  // Within strings quotes are escaped, so this stands nowhere else.
  const names = text.indexOf(',"uri":"') + 1;
  return text.slice(0, names) + provenance + text.slice(names);
}
