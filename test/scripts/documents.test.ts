import { describe, expect, it } from 'vitest';
import { renderDocuments } from '../../scripts/build/documents.js';
import { documentationIn } from '../../src/pages/docs/documentation.js';
import { DOCUMENTS, TOP_FOLDER } from '../support/docs.js';

const pages = renderDocuments(TOP_FOLDER);
const { picture } = documentationIn(TOP_FOLDER);

describe('the documentation of the package', () => {
  it('is every document, each once, the overview first', () => {
    const names = pages.map(({ name }) => name);
    expect(names[0]).toBe('');
    const expected = [...DOCUMENTS.keys()].map((path) =>
      path === 'README.md' ? '' : path.replace(/^docs\/|\.md$/g, '').toLowerCase(),
    );
    expect(names.sort()).toEqual(expected.sort());
    expect(pages.map(({ title }) => title)).not.toContain('');
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
    expect(pages[0]?.html).toContain('href="/docs/operators"');
    expect(pages[0]?.html).toContain('src="/docs/pictures/node.png"');
  });

  it.each(['../../package.json', 'node', '../operators.md', ''])('has no picture %s', (name) => {
    expect(picture(name)).toBeUndefined();
  });
});

function isThere(target: string, anchors: ReadonlyMap<string, readonly string[]>): boolean {
  const file = /^\/docs\/pictures\/(.*)$/.exec(target)?.[1];
  if (file !== undefined) return picture(file) !== undefined;
  const [whole, name = '', anchor] = /^\/docs(?:\/([^#]*))?(?:#(.*))?$/.exec(target) ?? [];
  if (whole === undefined) return false;
  return anchors.has(name) && (anchor === undefined || (anchors.get(name) ?? []).includes(anchor));
}
