import { between, sample } from '../time/substream.js';
import type { HappeningKind } from '../world/happening.js';

/** What goes wrong between the machines. */
export const WIRE_FAULTS: readonly HappeningKind[] = [
  {
    name: 'partition',
    shows: 'some nodes and pods cannot reach the others; lines between them die without a word',
    begin({ world }, random) {
      const hosts = [...world.nodes, ...world.pods].map(({ name }) => name);
      const island = new Set(sample(random, hosts, between(random, 1, Math.ceil(hosts.length / 2))));
      const heal = world.weather.cutOff(island);
      world.network.silenceSeparated();
      return { what: `${[...island].join(', ')} are cut off`, end: heal };
    },
  },
  {
    name: 'loss',
    shows: 'of all exchanges, some get no answer, some lose their connection, some are cut',
    begin({ world }, random) {
      const part = () => random() * 0.15;
      const end = world.weather.trouble({ lost: part(), reset: part(), cut: part() });
      return { what: 'the network loses and cuts', end };
    },
  },
];
