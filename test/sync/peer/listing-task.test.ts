import { DataFactory } from 'n3';
import { expect, it } from 'vitest';
import { createQuadWriter } from '../../../src/component/rdf/rdf-write.js';
import { metadataToQuads } from '../../../src/component/writing/metadata-quads.js';
import { statementsIn } from '../../../src/sync/peer/listing-task.js';
import { component, VOCABULARY } from '../../support/registry.js';

it('capabilities come with the component that has them, in each graph by themselves', async () => {
  const graphs = ['https://a.example/doc', 'https://b.example/doc'].map((graph, i) => ({
    graph,
    components: [
      component('a', {
        capability: [
          {
            action: `https://act.example/${i}`,
            invocation: [{ type: 'ac:UriTemplateInvocation', template: '#' }],
          },
        ],
      }),
      component('b'),
    ],
  }));
  const quads = graphs.flatMap(({ graph, components }) =>
    components.flatMap((one) => metadataToQuads(one, VOCABULARY, one.uri, DataFactory.namedNode(graph))),
  );
  const writer = createQuadWriter('application/n-quads', VOCABULARY);
  const text = writer.write(quads) + writer.end();
  const body = {
    text,
    mediaType: 'application/n-quads',
    base: 'https://peer.example/c/',
    namespace: VOCABULARY.namespace,
  };
  const read = new Map<string, unknown[]>();
  for (const { graph, described } of await statementsIn({ ...body, maxGraphs: 10 })) {
    expect(described?.invalid).toEqual([]);
    read.set(graph, [...(read.get(graph) ?? []), ...(described?.components ?? [])]);
  }
  expect([...read]).toEqual(graphs.map(({ graph, components }) => [graph, components]));
});
