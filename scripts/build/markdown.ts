import { html } from 'hono/html';
import { Lexer, Parser, Renderer, type Token, type Tokens } from 'marked';
import type { Section } from '../../src/pages/docs/documentation.js';

interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Where links and pictures of a document lead to on the site; undefined for places that are not part of it. */
export interface Targets {
  readonly link: (href: string) => string | undefined;
  readonly picture: (src: string) => string | undefined;
}

/**
 * Makes HTML of Markdown (GitHub's dialect). Nothing in the text can become an element that the renderer does not make:
 * HTML in the Markdown is shown as text, its comments are left out, and links and pictures lead only where `targets` says.
 */
export function renderMarkdown(markdown: string, targets: Targets): Rendered {
  const tokens = new Lexer().lex(markdown);
  const ids = new Map<Token, string>();
  const sections = sectionsOf(tokens, ids);
  const renderer = new SafeRenderer(targets, ids);
  return { html: new Parser({ renderer }).parse(tokens), sections };
}

class SafeRenderer extends Renderer {
  readonly #targets: Targets;
  readonly #ids: ReadonlyMap<Token, string>;

  constructor(targets: Targets, ids: ReadonlyMap<Token, string>) {
    super();
    this.#targets = targets;
    this.#ids = ids;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    const visible = text.replace(/<!--.*?-->/gs, '').trim();
    return visible === '' ? '' : escaped(visible);
  }

  /** The renderer of the library leaves text as it is within some elements, which are text here. */
  override text(token: Tokens.Text | Tokens.Escape): string {
    if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens);
    return token.text.replace(/&(?!#?\w{1,31};)|[<>"']/g, escaped);
  }

  override heading(token: Tokens.Heading): string {
    const inner = this.parser.parseInline(token.tokens);
    const id = this.#ids.get(token);
    return `<h${token.depth}${id ? ` id="${escaped(id)}"` : ''}>${inner}</h${token.depth}>\n`;
  }

  override code({ text, lang }: Tokens.Code): string {
    const language = (lang ?? '').split(/\s/)[0] ?? '';
    // A box that scrolls needs a tabindex, so that the keyboard can scroll it.
    return `<div class="code"><p>${escaped(language)}</p><pre tabindex="0"><code>${escaped(text)}</code></pre></div>\n`;
  }

  override codespan({ text }: Tokens.Codespan): string {
    return `<code>${escaped(text)}</code>`;
  }

  /** Where the style shows rows as blocks, on narrow screens, the roles keep the table for screen readers. */
  override table({ header, rows }: Tokens.Table): string {
    const titles = header.map(({ tokens }) => plainText(tokens));
    const cell = ({ tokens }: Tokens.TableCell, column: number) =>
      `<td role="cell" data-label="${escaped(titles[column] ?? '')}">${this.parser.parseInline(tokens)}</td>`;
    // A header without words would be read out as an empty one.
    const head = header.map(({ tokens }, column) =>
      titles[column] === ''
        ? '<td role="cell"></td>'
        : `<th role="columnheader" scope="col">${this.parser.parseInline(tokens)}</th>`,
    );
    const body = rows.map((row) => `<tr role="row">${row.map(cell).join('')}</tr>`);
    const top = titles.every((title) => title === '')
      ? ''
      : `<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>`;
    return `<table role="table">${top}
<tbody role="rowgroup">${body.join('\n')}</tbody></table>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const inner = this.parser.parseInline(tokens);
    const target = this.#targets.link(href);
    return target === undefined ? inner : `<a href="${escaped(target)}">${inner}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const source = this.#targets.picture(href);
    return source === undefined ? escaped(text) : `<img src="${escaped(source)}" alt="${escaped(text)}">`;
  }
}

/** The sections in their order; notes the anchor of each heading in `ids`. */
function sectionsOf(tokens: readonly Token[], ids: Map<Token, string>): Section[] {
  const used = new Map<string, number>();
  return tokens.flatMap((token) => {
    if (token.type !== 'heading') return [];
    const heading = plainText(token.tokens ?? []);
    const id = anchorOf(heading, used);
    ids.set(token, id);
    return [{ id, heading, depth: (token as Tokens.Heading).depth }];
  });
}

/** The anchor that GitHub gives to a heading; repeated ones are numbered. */
function anchorOf(heading: string, used: Map<string, number>): string {
  const name = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
  const before = used.get(name) ?? 0;
  used.set(name, before + 1);
  return before === 0 ? name : `${name}-${before}`;
}

/** What a reader sees of tokens, without markup, in one line. */
function plainText(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('').replace(/\s+/g, ' ').trim();
}

function textOf(token: Token): string {
  if (token.type === 'html') return '';
  if ('tokens' in token && token.tokens) return token.tokens.map(textOf).join('');
  return 'text' in token ? String(token.text) : '';
}

/** For content and attributes in double quotes. */
function escaped(text: string): string {
  return String(html`${text}`);
}
