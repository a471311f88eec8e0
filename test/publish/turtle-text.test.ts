import { expect, it } from 'vitest';
import { parseRdf } from '../../src/component/rdf/rdf-parse.js';
import { describeDocument } from '../../src/component/reading/document-tasks.js';
import { checkedComponents, componentQuads } from '../../src/describe/component-quads.js';
import { turtleText } from '../../src/publish/turtle-text.js';
import { withoutPause } from '../../src/lib/pace.js';
import { inProcess } from '../../src/lib/pool/task.js';
import { VOCABULARY } from '../support/registry.js';

it('is read again as what was written, whatever is in the texts', async () => {
  const said = {
    ...{
      uri: 'https://c.example/a(b).js?c',
      label: 'He said "no"\n\\',
      latest: true,
      shapes: ['https://s.example/#S'],
    },
    capability: [
      {
        ...{ action: 'odrl:display', resourceType: ['https://s.example/#S'], accept: ['text/turtle'] },
        invocation: [
          {
            ...{
              type: 'ElementInvocation',
              element: 'my-form',
              format: 'text/turtle',
              fixed: { 'data-view': '' },
            },
            mapping: [
              { variable: 'data-values', property: 'data' },
              { variable: 'data-shapes', property: 'shapes' },
            ],
            write: { event: 'submit', method: 'serialize' },
          },
          {
            type: 'ac:UriTemplateInvocation',
            template: '{?uri}',
            mapping: [{ variable: 'uri', property: 'ac:open' }],
          },
        ],
      },
    ],
  };
  const components = checkedComponents(said, VOCABULARY);
  const text = turtleText(componentQuads(components, VOCABULARY), VOCABULARY);
  const document = {
    text,
    mediaType: 'text/turtle',
    baseIri: 'https://c.example/d.ttl',
    namespace: VOCABULARY.namespace,
  };
  const read = await describeDocument(document, { pool: inProcess(withoutPause), lane: 'post' });
  expect(read).toMatchObject({ components, invalid: [] });
  expect(text).not.toContain('urn:');
});

it('grows with what is written and not with its depth, and keeps every statement of a deep document', async () => {
  const depth = 10_000;
  const text = `<https://x.example/a> <https://x.example/b> ${'[<https://x.example/b> '.repeat(depth)}1${']'.repeat(depth)}.`;
  const document = { text, mediaType: 'text/turtle', baseIri: 'https://x.example/', namespace: 'urn:x:' };
  const quads = await parseRdf(document);
  const written = turtleText(quads, VOCABULARY);
  expect(written.length).toBeLessThan(4 * text.length);
  expect(await parseRdf({ ...document, text: written })).toHaveLength(quads.length);
});
