import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Parser, type Quad, Store } from 'n3';
import { beforeAll, describe, expect, it } from 'vitest';
import { TOP } from '../support/docs.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';

interface Entry {
  readonly uri: string;
  readonly shapes: readonly string[];
  readonly integrity?: string;
  readonly source: { readonly url: string; readonly kind: string };
}

interface Built {
  readonly files: Record<
    string,
    {
      readonly integrity: string;
      readonly packages?: readonly {
        readonly name: string;
        readonly version: string;
        readonly licence: string;
      }[];
    }
  >;
}

/** A validator of SHACL that the pod server brings. */
const Validator: new (
  shapes: Store,
) => {
  validate(data: Store): { readonly conforms: boolean; readonly results: readonly unknown[] };
} = createRequire(`${TOP}test/pod-server/package.json`)('rdf-validate-shacl');

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const AC = 'https://www.w3.org/ns/ac#';
/**
 * What the shapes of m5x5/application-capability-validator ask for. Theirs have ac:template, ac:mapping, ac:variable and ac:property
 * where the draft, section 2.3, has the terms of hydra; these have the draft's.
 */
const CAPABILITY_SHAPES = `
@prefix ac: <${AC}>. @prefix hydra: <http://www.w3.org/ns/hydra/core#>. @prefix rdf: <${RDF}>. @prefix sh: <http://www.w3.org/ns/shacl#>.
<urn:application> a sh:NodeShape; sh:targetSubjectsOf ac:capability; sh:property [ sh:path ac:capability; sh:nodeKind sh:IRI; sh:class ac:Capability ].
<urn:capability> a sh:NodeShape; sh:targetClass ac:Capability;
  sh:property [ sh:path ac:action; sh:nodeKind sh:IRI; sh:minCount 1; sh:maxCount 1 ], [ sh:path ac:accept; sh:nodeKind sh:Literal ],
    [ sh:path ac:output; sh:nodeKind sh:Literal ], [ sh:path ac:resourceType; sh:nodeKind sh:IRI ], [ sh:path ac:shape; sh:nodeKind sh:IRI ],
    [ sh:path ac:destination; sh:nodeKind sh:IRI; sh:maxCount 1 ], [ sh:path ac:invocation; sh:nodeKind sh:BlankNodeOrIRI ].
<urn:invocation> a sh:NodeShape; sh:targetObjectsOf ac:invocation; sh:property [ sh:path rdf:type; sh:minCount 1 ].
<urn:template> a sh:NodeShape; sh:targetClass ac:UriTemplateInvocation;
  sh:property [ sh:path hydra:template; sh:nodeKind sh:Literal; sh:minCount 1; sh:maxCount 1 ], [ sh:path hydra:mapping; sh:nodeKind sh:BlankNodeOrIRI ].
<urn:mapping> a sh:NodeShape; sh:targetObjectsOf hydra:mapping;
  sh:property [ sh:path hydra:variable; sh:nodeKind sh:Literal; sh:minCount 1; sh:maxCount 1 ], [ sh:path hydra:property; sh:nodeKind sh:IRI; sh:minCount 1; sh:maxCount 1 ].
`;

const SH = 'http://www.w3.org/ns/shacl#';
const PERMISSIVE = ['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense'];
const read = (path: string) => readFileSync(`${TOP}starter/${path}`, 'utf8');
const json = (path: string) => JSON.parse(read(path));

describe('the starter set of a node that was started with --starter', () => {
  let node: NodeProcess;
  let entries: readonly Entry[];
  const built: Built = json('dist/index.json');
  const get = (path: string, accept = '*/*') => fetch(`${node.url}${path}`, { headers: { accept } });

  beforeAll(async () => {
    node = await startNode({ config: { write: 'open' }, args: ['--starter'] });
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

  it('serves every file itself, with the bytes whose hash the descriptions promise', async () => {
    for (const [path, { integrity }] of Object.entries(built.files)) {
      const bytes = new Uint8Array(await (await get(`/starter/${path}`)).arrayBuffer());
      expect(`sha384-${createHash('sha384').update(bytes).digest('base64')}`, path).toBe(integrity);
    }
    const own = entries.filter(({ uri }) => uri.startsWith(node.url));
    for (const { uri, integrity } of own) {
      expect(integrity, uri).toBe(built.files[new URL(uri).pathname.slice('/starter/'.length)]?.integrity);
    }
    expect(own.length).toBeGreaterThan(50);
  });

  it('has modules that load nothing from elsewhere: they work without a network', async () => {
    const modules = Object.keys(built.files).filter((path) => path.endsWith('.js'));
    for (const path of modules) {
      const text = await (await get(`/starter/${path}`)).text();
      expect(text.match(/(?:^|[;}])import\s*(?:[\w{*][^;]*?from)?\s*["'][^"']+["']/g) ?? [], path).toEqual(
        [],
      );
    }
    expect(modules.length).toBeGreaterThan(5);
  });

  it('leaves out what the form would need for maps of a provider', async () => {
    expect(await (await get('/starter/shacl-form.js')).text()).not.toMatch(/mapbox/i);
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

  it('describes capabilities as shapes of adopters ask for them, with the terms of the draft', async () => {
    const data = new Store();
    for (const query of ['invocation=ac:UriTemplateInvocation', 'q=bookmark'])
      data.addQuads(new Parser().parse(await (await get(`/component?${query}`, 'text/turtle')).text()));
    const shapes = new Store(new Parser().parse(CAPABILITY_SHAPES));
    const { conforms, results } = new Validator(shapes).validate(data);
    expect([conforms, results.map(String)]).toEqual([true, []]);
    const type = `${AC}UriTemplateInvocation`;
    expect(data.getSubjects(`${RDF}type`, type, null).length).toBeGreaterThan(5);
    // They do find what is wrong.
    data.removeQuads(data.getQuads(null, `${AC}action`, null, null).slice(0, 1));
    expect(new Validator(shapes).validate(data).conforms).toBe(false);
  });

  it('names in its index what each module was built from, under which licences', async () => {
    const index = (await (await get('/starter/index.json')).json()) as Built;
    expect(index.files).toEqual(built.files);
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

  it('is under permissive licences, in the versions of the lock, with their texts beside the modules', () => {
    const { packages } = json('package-lock.json');
    const locked = new Set(
      Object.entries(packages as Record<string, { version?: string; name?: string }>).map(
        ([path, { version, name }]) => `${name ?? path.replace(/^.*node_modules\//, '')} ${version}`,
      ),
    );
    const modules = Object.entries(json('dist/index.json').files as Built['files']).filter(([path]) =>
      path.endsWith('.js'),
    );
    for (const [path, { packages: from = [] }] of modules) {
      const texts = read(`dist/${path.replace(/\.js$/, '.licences.txt')}`);
      for (const { name, version, licence } of from) {
        expect([PERMISSIVE.includes(licence), locked.has(`${name} ${version}`)], name).toEqual([true, true]);
        expect(texts).toContain(`${name} ${version}`);
      }
      expect(texts.length, path).toBeGreaterThan(200);
    }
  });

  it('has the text of the licence of everything that is in a module, also of what its authors have bundled', () => {
    const granted =
      /Permission (?:is hereby granted|to use)|Redistribution and use|TERMS AND CONDITIONS|free and unencumbered/;
    const modules = Object.entries(json('dist/index.json').files as Built['files']);
    for (const [path, { packages = [] }] of modules) {
      if (!path.endsWith('.js')) continue;
      const sections = read(`dist/${path.replace(/\.js$/, '.licences.txt')}`).split(`${'-'.repeat(80)}\n\n`);
      const below = new Map(sections.map((section) => [section.split('\n')[0] ?? '', section]));
      for (const { name, version, licence } of packages) {
        const own = sections.find((section) => section.startsWith(`${name} ${version}`)) ?? '';
        const of = own.includes('The text of the licence is below.') ? [licence] : [];
        const parts = [...own.matchAll(/^(\S+), the text of which is below:$/gm)].map(([, one = '']) => one);
        const texts = [...of, ...parts].map((one) => below.get(one) ?? '');
        if (of.length === 0) texts.push(own);
        for (const text of texts) expect(text, `${path}: ${name}`).toMatch(granted);
        for (const part of BUNDLED[name] ?? []) expect(own, `${path}: ${name}`).toContain(part);
      }
    }
  });
});
