import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { Parser, type Quad } from 'n3';
import { beforeAll, describe, expect, it } from 'vitest';
import { TOP } from '../support/docs.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

interface Entry {
  readonly uri: string;
  readonly shapes: readonly string[];
  readonly integrity?: string;
  readonly source: { readonly url: string; readonly kind: string };
}

interface File {
  readonly integrity: string;
  readonly packages?: readonly Readonly<Record<'name' | 'version' | 'licence', string>>[];
}
interface Built {
  readonly files: Readonly<Record<string, File>>;
}

const SH = 'http://www.w3.org/ns/shacl#';
const IMPORTS = /(?:^|[;}])import\s*(?:[\w{*][^;]*?from)?\s*["'][^"']+["']/g;
const read = (path: string) => readFileSync(`${TOP}starter/${path}`, 'utf8');
const json = (path: string) => JSON.parse(read(path));

describe('the starter set of a node that was started with --starter', () => {
  let node: InProcessNode;
  let entries: readonly Entry[];
  const built: Built = json('dist/index.json');
  const get = (path: string, accept = '*/*') => fetch(`${node.url}${path}`, { headers: { accept } });

  beforeAll(async () => {
    node = await startInProcess({ config: { write: 'open' }, shipped: ['starter'] });
    entries = (await (await get('/component')).json()) as Entry[];
  });

  it('has many entries for many classes, all of one source', () => {
    const classes = new Set(
      entries.flatMap(({ shapes }) => shapes).filter((one) => !one.startsWith(node.url)),
    );
    expect([entries.length >= 50, classes.size >= 20]).toEqual([true, true]);
    expect(new Set(entries.map(({ source }) => `${source.kind} ${source.url}`))).toEqual(
      new Set(['sample urn:registry:starter']),
    );
  });

  it('serves every file itself, with the bytes whose hash the descriptions promise; modules load nothing from elsewhere', async () => {
    let modules = 0;
    for (const [path, { integrity }] of Object.entries(built.files)) {
      const bytes = Buffer.from(await (await get(`/starter/${path}`)).arrayBuffer());
      expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`, path).toBe(integrity);
      if (!path.endsWith('.js')) continue;
      modules += 1;
      expect(String(bytes).match(IMPORTS) ?? [], path).toEqual([]);
    }
    expect(modules).toBeGreaterThan(5);
    const own = entries.filter(({ uri }) => uri.startsWith(node.url));
    for (const { uri, integrity } of own) {
      expect(integrity, uri).toBe(built.files[new URL(uri).pathname.slice('/starter/'.length)]?.integrity);
    }
    expect(own.length).toBeGreaterThan(50);
  });

  it('has shapes for the classes that its descriptions name', () => {
    const quads = readdirSync(`${TOP}starter/shapes`).flatMap((name): Quad[] =>
      new Parser({ baseIRI: `${node.url}/starter/shapes/${name}` }).parse(read(`shapes/${name}`)),
    );
    const targets = new Map<string, string[]>();
    for (const { subject, predicate, object } of quads) {
      if (predicate.value === `${SH}targetClass`)
        targets.set(subject.value, [...(targets.get(subject.value) ?? []), object.value]);
    }
    const forms = entries.filter(({ uri }) => uri.includes('/shacl-form.js'));
    expect(forms.map(({ shapes }) => [...shapes].sort().join(' ')).sort()).toEqual(
      [...targets].map(([shape, classes]) => [shape, ...classes].sort().join(' ')).sort(),
    );
    const nodes = quads.filter(({ predicate }) => predicate.value === `${SH}node`);
    const defined = new Set(quads.map(({ subject }) => subject.value));
    expect(nodes.filter(({ object }) => !defined.has(object.value))).toEqual([]);
  });
});

/** Some of what authors have bundled in their packages. */
const BUNDLED: Readonly<Record<string, readonly string[]>> = {
  '@ulb-darmstadt/shacl-form': ['jsonld', 'n3', 'rdf-validate-shacl'],
  'cytoscape-rdf': ['cytoscape', 'n3', '@microsoft/fast-element'],
};

describe('what the starter set is built from', () => {
  it('has exact versions, and a lock without addresses', () => {
    const { devDependencies } = json('package.json');
    for (const [name, version] of Object.entries(devDependencies)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
    expect(read('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  // The build refuses what is not permissive, and parts of which nobody knows the licence.
  it('is told beside each module, with licences and their texts', () => {
    const granted =
      /Permission (?:is hereby granted|to use)|Redistribution and use|TERMS AND CONDITIONS|free and unencumbered/;
    const modules = Object.entries(json('dist/index.json').files as Built['files']);
    for (const [path, { packages = [] }] of modules.filter(([name]) => name.endsWith('.js'))) {
      const text = read(`dist/${path.replace(/\.js$/, '.licences.txt')}`);
      for (const { name, version, licence } of packages) {
        const [, said = ''] = text.split(`${name} ${version}`);
        expect(said, `${path}: ${name}`).toMatch(new RegExp(`^.*: ${licence}\n`));
        for (const part of BUNDLED[name] ?? []) expect(said, `${path}: ${name}`).toContain(part);
      }
      for (const section of text.split('-'.repeat(80)))
        if (!/text of (?:the licence|which) is below/.test(section)) expect(section, path).toMatch(granted);
    }
  });
});
