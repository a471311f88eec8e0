import { describe, expect, it } from 'vitest';
import { HELP, readBenchOptions } from '../../../scripts/bench/command-line.js';

describe('the arguments of the benchmark', () => {
  it('name a size, a file and rows', () => {
    expect(readBenchOptions(['--components', '2000', 'ingest', '--json', 'x.json'])).toEqual({
      engine: 'disk',
      components: 2000,
      quick: false,
      json: 'x.json',
      wanted: ['ingest'],
    });
    expect(readBenchOptions([])).toMatchObject({ components: 100_000, wanted: [] });
    expect(readBenchOptions(['--engine', 'postgres'])).toMatchObject({
      engine: 'postgres',
      components: 1_000_000,
    });
    expect(readBenchOptions(['--quick'])).toMatchObject({ components: 1000, quick: true });
  });

  it('ask for help', () => {
    expect(readBenchOptions(['-h'])).toEqual({ help: HELP });
  });

  it.each([
    [['--component', '5'], /--component/],
    [['--components', 'many'], /whole number/],
    [['--engine', 'mysql'], /disk or postgres/],
    [['--components', '5'], /100 at least/],
  ])('that are wrong are named: %j', (args, fault) => {
    expect(readBenchOptions(args)).toEqual({ fault: expect.stringMatching(fault) });
  });
});
