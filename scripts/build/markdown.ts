import { html } from 'hono/html';
import { Marked, type Parser, TextRenderer, type Token } from 'marked';
import type { Section } from '../../src/pages/docs/documentation.js';

/** Where links and pictures of a document lead to on the site; undefined for places that are not part of it. */
export interface Targets {
  readonly link: (href: string) => string | undefined;
  readonly picture: (src: string) => string | undefined;
}

/**
 * Makes HTML of Markdown (GitHub's dialect). Nothing in the text can become an element that the renderer does not make:
 * HTML in the Markdown is shown as text, its comments are left out, and links and pictures lead only where `targets` says.
 */
export function renderMarkdown(markdown: string, targets: Targets) {
  const sections: Section[] = [];
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escaped(text.replace(/<!--.*?-->/gs, '').trim()),

      /** The library leaves text as it is within `<pre>` and the like, which are text here. */
      text(token) {
        if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens);
        return token.text.replace(/&(?!#?\w{1,31};)|[<>"']/g, (one) => escaped(one));
      },

      heading({ tokens, depth }) {
        const heading = plainText(this.parser, tokens);
        const id = anchorOf(heading, sections);
        sections.push({ id, heading, depth });
        return `<h${depth} id="${escaped(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },

      code({ text, lang = '' }) {
        // A box that scrolls needs a tabindex, so that the keyboard can scroll it.
        const box = `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;
        return `<div class="code"><p>${escaped(lang.replace(/\s.*/, ''))}</p>${box}</div>\n`;
      },

      /** Where the style shows rows as blocks, on narrow screens, the roles keep the table for screen readers. */
      table({ header, rows }) {
        const titles = header.map(({ tokens }) => plainText(this.parser, tokens));
        const row = (cells: readonly string[]) => `<tr role="row">${cells.join('')}</tr>`;
        const body = rows.map((cells) =>
          row(
            cells.map(({ tokens }, column) => {
              const label = escaped(titles[column] ?? '');
              return `<td role="cell" data-label="${label}">${this.parser.parseInline(tokens)}</td>`;
            }),
          ),
        );
        // A header without words would be read out as an empty one.
        const head = header.map(({ tokens }, column) =>
          titles[column] === ''
            ? '<td role="cell"></td>'
            : `<th role="columnheader" scope="col">${this.parser.parseInline(tokens)}</th>`,
        );
        const top = titles.join('') === '' ? '' : `<thead role="rowgroup">${row(head)}</thead>`;
        return `<table role="table">${top}\n<tbody role="rowgroup">${body.join('\n')}</tbody></table>\n`;
      },

      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = targets.link(href);
        return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`;
      },

      image({ href, text }) {
        const source = targets.picture(href);
        return source === undefined ? escaped(text) : `<img src="${escaped(source)}" alt="${escaped(text)}">`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), sections };
}

/** The anchor that GitHub gives to a heading; repeated ones are numbered. */
function anchorOf(heading: string, before: readonly Section[]): string {
  const nameOf = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
  const name = nameOf(heading);
  const count = before.filter((section) => nameOf(section.heading) === name).length;
  return count === 0 ? name : `${name}-${count}`;
}

/** What tokens say without markup. GitHub's anchors have nothing of HTML in them, either. */
function plainText(parser: Parser, tokens: Token[]): string {
  const renderer = Object.assign(new TextRenderer(), { parser, html: () => '' });
  return parser.parseInline(tokens, renderer).trim();
}

/** For content and attributes in double quotes. */
function escaped(text: string): string {
  return String(html`${text}`);
}
