import { describe, expect, it } from 'vitest';
import { documentationIn } from '../../../../src/http/pages/docs/documents.js';
import { searchDocuments } from '../../../../src/http/pages/docs/search-documents.js';
import { DOCUMENTS } from '../../../support/docs.js';

const PACKAGE = new URL('../../../../', import.meta.url);
const documentation = documentationIn(PACKAGE, '/registry');
const pages = documentation.names.flatMap((name) => documentation.page(name) ?? []);

describe('the documentation of the package', () => {
  it('is every document, each once, the overview first', () => {
    expect(documentation.names[0]).toBe('');
    const expected = [...DOCUMENTS.keys()].map((path) =>
      path === 'README.md' ? '' : path.replace(/^docs\/|\.md$/g, '').toLowerCase(),
    );
    expect([...documentation.names].sort()).toEqual(expected.sort());
    expect(pages.map(({ title }) => title)).not.toContain('');
  });

  it('has every heading of the documents', () => {
    for (const { name, sections } of pages) {
      const [, markdown = ''] =
        [...DOCUMENTS].find(
          ([path]) => path.toLowerCase().replace(/^docs\//, '') === `${name || 'readme'}.md`,
        ) ?? [];
      const headings = markdown.replaceAll(/^( *)```.*?^\1```$/gms, '').match(/^#+ /gm) ?? [];
      expect([name, sections.filter(({ id }) => id !== '').length]).toEqual([name, headings.length]);
    }
  });

  it('links to pages, anchors and pictures that are there, and to nothing else of the repository', () => {
    const anchors = new Map(pages.map(({ name, sections }) => [name, sections.map(({ id }) => id)]));
    const dead = pages.flatMap(({ name, html }) =>
      [...html.matchAll(/(?:href|src)="(?!https?:)([^"]*)"/g)]
        .map(([, target = '']) => target)
        .filter((target) => !isThere(target, anchors))
        .map((target) => `${name} leads to ${target}`),
    );
    expect(dead).toEqual([]);
    expect(documentation.page('')?.html).toContain('href="/registry/docs/operators"');
    expect(documentation.page('')?.html).toContain('src="/registry/docs/pictures/node.png"');
  });

  it.each(['nothing', '../package', 'pictures', '__proto__'])('has no page %s', (name) => {
    expect(documentation.page(name)).toBeUndefined();
  });

  it.each(['../../package.json', 'node', '../operators.md', ''])('has no picture %s', (name) => {
    expect(documentation.picture(name)).toBeUndefined();
  });

  it('is empty where the node runs without it', () => {
    const none = documentationIn(new URL('test/support/', PACKAGE), '');
    expect([none.names, none.page(''), none.picture('node.png')]).toEqual([[], undefined, undefined]);
  });
});

function isThere(target: string, anchors: ReadonlyMap<string, readonly string[]>): boolean {
  const picture = /^\/registry\/docs\/pictures\/(.*)$/.exec(target)?.[1];
  if (picture !== undefined) return documentation.picture(picture) !== undefined;
  const [whole, name = '', anchor] = /^\/registry\/docs(?:\/([^#]*))?(?:#(.*))?$/.exec(target) ?? [];
  if (whole === undefined) return false;
  return anchors.has(name) && (anchor === undefined || (anchors.get(name) ?? []).includes(anchor));
}

describe('the search', () => {
  const found = (search: string) =>
    searchDocuments(documentation, search).map(({ page, section }) => `${page.name}#${section.id}`);

  it('finds sections that have all words, those with the words in their heading first', () => {
    const hits = found('private pods');
    expect(hits[0]).toBe('operators#private-pods');
    expect(hits.length).toBeGreaterThan(1);
    expect(found('precedence zebra')).toEqual([]);
    expect(found('  ')).toEqual([]);
  });

  it('ignores case and accents, and takes words as they are, not as patterns', () => {
    expect(found('PRIVÁTE PODS')[0]).toBe('operators#private-pods');
    expect(found('.*')).not.toContain('operators#private-pods');
    expect(() => found('( [ \\ * + ?')).not.toThrow();
  });

  it('shows where the words are', () => {
    const [hit] = searchDocuments(documentation, 'prometheus.yml');
    expect(hit?.excerpt.filter(({ marked }) => marked).map(({ text }) => text)).toEqual(['prometheus.yml']);
    expect(hit?.excerpt.map(({ text }) => text).join('').length).toBeLessThan(250);
  });
});
