/**
 * An http or https URL as it is written, and a relative one resolved against the page, as `fetch` does it. Undefined
 * for everything else, for nothing at all, and for relative ones where there is no page.
 */
export function webUrl(text: string | null | undefined): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  if (URL.canParse(text)) return isWeb(text) ? text : undefined;
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  if (base === undefined || !URL.canParse(text, base)) return undefined;
  const { href } = new URL(text, base);
  return isWeb(href) ? href : undefined;
}

function isWeb(url: string): boolean {
  return /^https?:$/.test(new URL(url).protocol);
}
