import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../scripts/simulate/command-line.js';

const read = (text: string) => readCommandLine(text === '' ? [] : text.split(' '), false);

describe('the command line of the simulation', () => {
  it('has defaults, and takes what is asked for', () => {
    expect(read('')).toMatchObject({ nodes: 8, hours: 1, faults: [], seeds: 1 });
    expect(read('--nodes 2 --degree 8 --replay 3,17 --set sync.streams=0 --set sync.a=b')).toMatchObject({
      ...{ nodes: 2, degree: 1, replay: [3, 17], config: { sync: { streams: 0, a: 'b' } } },
    });
    expect(read('--faults all --nodes 2 --nodes 3')).toMatchObject({ nodes: 3 });
  });

  it.each(['--nodes none', '--nodes 1.5', '--faults storm', '--replay x', '--set streams', '--what'])(
    'refuses %s',
    (args) => {
      expect(() => read(args)).toThrow(args.split(' ').at(-1));
    },
  );
});
