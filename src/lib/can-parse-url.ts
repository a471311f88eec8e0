/**
 * Whether a text is a URL, by itself or in relation to a base. In place of `URL.canParse`, which in Node 20 and 22
 * answers `false` for names like "ünïcode.example" once it has been called some thousand times and runs optimised.
 */
export function canParseUrl(text: string, base?: string): boolean {
  return parsedUrl(text, base) !== undefined;
}

/** The URL that a text is, by itself or in relation to a base; `undefined` for one that is none. */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Normal forms that are remembered, at most, and the longest text, in characters, whose form is. */
const REMEMBERED = { forms: 5000, longest: 300 };
const forms = new Map<string, string | undefined>();

/**
 * The normal form of an absolute URL; `undefined` for a text that is none. The same few thousand URLs of documents are
 * asked about in each poll, and to parse one takes about two microseconds: those that were asked for lately are remembered.
 */
export function normalUrl(text: string): string | undefined {
  const known = forms.get(text);
  if (known !== undefined || forms.has(text)) return known;
  const form = parsedUrl(text)?.href;
  if (text.length > REMEMBERED.longest) return form;
  if (forms.size >= REMEMBERED.forms) forms.clear();
  forms.set(text, form);
  return form;
}
