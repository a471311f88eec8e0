import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../../scripts/simulate/command-line.js';

const read = (text: string) => readCommandLine(text === '' ? [] : text.split(' '));

describe('the command line of the simulation', () => {
  it('has defaults, and takes what is asked for', () => {
    expect(read('')).toMatchObject({ options: { nodes: 8, hours: 1, faults: [] }, json: false, seeds: 1 });
    expect(
      read('--nodes 2 --degree 8 --days 2 --replay 3,17 --set sync.streams=0 --set sync.a=b'),
    ).toMatchObject({
      options: {
        ...{ nodes: 2, degree: 1, hours: 48, replay: [3, 17] },
        config: { sync: { streams: 0, a: 'b' } },
      },
    });
  });

  it.each([
    ['--nodes none', '--nodes must be a whole number, 1 at least'],
    ['--nodes 1.5', '--nodes must be a whole number, 1 at least'],
    ['--faults storm', 'no fault is called "storm"'],
    ['--replay x', '--replay must be numbers'],
    ['--set streams', '--set must be like sync.streams=0'],
    ['--what', "Unknown option '--what'"],
  ])('says what is wrong with %s', (args, fault) => {
    expect(read(args)).toMatchObject({ fault: expect.stringContaining(fault) });
  });

  it('has help that names every fault and every rule', () => {
    const { help } = read('--help') as { help: string };
    expect(help).toContain('--replay');
    expect(help).toContain('nothing private is dialled');
  });
});
