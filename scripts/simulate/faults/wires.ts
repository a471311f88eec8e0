import { between, pick, sample } from '../time/substream.js';
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
    name: 'one-way',
    shows: 'some nodes get no answer from the others, who get theirs',
    begin({ world }, random) {
      const hosts = world.nodes.map(({ name }) => name);
      const island = new Set(sample(random, hosts, between(random, 1, Math.ceil(hosts.length / 2))));
      const heal = world.weather.cutOffOneWay(island);
      world.network.silenceSeparated();
      return { what: `${[...island].join(', ')} get no answers`, end: heal };
    },
  },
  {
    name: 'half-open',
    shows: 'all lines to and from a host are dead, neither side is told, and new ones work',
    begin({ world }, random) {
      const { name } = pick(random, [...world.nodes, ...world.pods]);
      world.network.silence(name);
      return { what: `lines of ${name} are dead` };
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
