import { html } from 'hono/html';

/** Units that a character takes on average, of letters as high as 11 units; and beside the text. */
const [CHARACTER, BESIDE] = [6.4, 7] as const;
const HEIGHT = 20;
/** Longest text of one half, in characters. */
const LONGEST = 40;

/**
 * A badge as SVG, for the page of an author: `left` says where, `right` what. It has no links and no scripts, so it may be
 * shown as a picture on any page.
 */
export function badge(left: string, right: string, isGood: boolean): string {
  const halves = [left, right].map((text) =>
    text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text,
  );
  const [where = '', what = ''] = halves;
  const [first, second] = [widthOf(where), widthOf(what)];
  const middle = HEIGHT - 6;
  return String(html`<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="${HEIGHT}" role="img" aria-label="${left}: ${right}">
<title>${left}: ${right}</title>
<rect width="${first + second}" height="${HEIGHT}" rx="4" fill="#3c3a36"/>
<path d="M${first} 0h${second - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H${first}z" fill="${isGood ? '#0b5c66' : '#64605a'}"/>
<g fill="#fff" font-family="system-ui,Verdana,sans-serif" font-size="11" text-anchor="middle">
<text x="${first / 2}" y="${middle}" textLength="${first - 2 * BESIDE}" lengthAdjust="spacingAndGlyphs">${where}</text>
<text x="${first + second / 2}" y="${middle}" textLength="${second - 2 * BESIDE}" lengthAdjust="spacingAndGlyphs">${what}</text>
</g></svg>
`);
}

function widthOf(text: string): number {
  return Math.round([...text].length * CHARACTER) + 2 * BESIDE;
}
