import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../scripts/build/markdown.js';

const TARGETS = {
  link: (href: string) => (/^https?:/.test(href) ? href : undefined),
  picture: (src: string) => (src.startsWith('pictures/') ? `/docs/${src}` : undefined),
};
const htmlOf = (markdown: string) => renderMarkdown(markdown, TARGETS).html;

describe('what Markdown holds', () => {
  it('stays readable where it is not allowed: HTML as text, links and pictures as their words', () => {
    expect(htmlOf('Press <kbd>x</kbd>, [see](javascript:y) ![a fox](https://z.example/f.png)')).toBe(
      '<p>Press &lt;kbd&gt;x&lt;/kbd&gt;, see a fox</p>\n',
    );
    expect(htmlOf('a <pre> <img src=x onerror=y() </pre>')).not.toContain('<img');
    expect(htmlOf('<!-- run:begin -->\ntext\n<!-- run:end -->')).not.toContain('run');
  });

  it('keeps characters as they are written', () => {
    expect(htmlOf('a & b &lt; 5 > 4 "q" `&amp;`')).toBe(
      '<p>a &amp; b &lt; 5 &gt; 4 &quot;q&quot; <code>&amp;amp;</code></p>\n',
    );
  });
});

describe('sections', () => {
  it('have the anchors of GitHub, and headings without markup', () => {
    const { sections, html } = renderMarkdown(
      'Before.\n\n# A `b` *c*\n\nOne [link](https://a.example), `code`.\n\n- x\n- y\n\n| k | v |\n|---|---|\n| 1 | 2 |\n\n## What is *not* <em>defended</em>?\n\n## A b c\n',
      TARGETS,
    );
    expect(sections).toEqual([
      { id: 'a-b-c', heading: 'A b c', depth: 1 },
      { id: 'what-is-not-defended', heading: 'What is not defended?', depth: 2 },
      { id: 'a-b-c-1', heading: 'A b c', depth: 2 },
    ]);
    expect(html).toContain('<h2 id="a-b-c-1">A b c</h2>');
  });
});
