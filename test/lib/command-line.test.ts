import { describe, expect, it } from 'vitest';
import { helpText, parseCommand } from '../../src/lib/command-line.js';

const VERBS = {
  serve: { meaning: 'run', flags: { config: { value: 'file', meaning: 'the configuration' } } },
  token: { meaning: 'print a token', flags: { loud: { short: 'l', meaning: 'shout' } } },
};
const parse = (line: string) => parseCommand(line.split(' ').filter(Boolean), VERBS, 'serve');

describe('a command line', () => {
  it.each([
    ['', { kind: 'verb', verb: 'serve', flags: {} }],
    ['--config a.json', { kind: 'verb', verb: 'serve', flags: { config: 'a.json' } }],
    ['serve --config=a.json', { kind: 'verb', verb: 'serve', flags: { config: 'a.json' } }],
    ['token -l', { kind: 'verb', verb: 'token', flags: { loud: true } }],
    ['--help', { kind: 'help' }],
    ['-h', { kind: 'help' }],
    ['token --help', { kind: 'help', verb: 'token' }],
    ['--version', { kind: 'version' }],
  ])('%j is understood', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    ['tokn', 'unknown command "tokn", did you mean "token"? (there is serve, token)'],
    ['toString', 'unknown command "toString" (there is serve, token)'],
    [
      '--confg x',
      'unknown option "--confg", did you mean "--config"? (there is --config, --help, --version)',
    ],
    ['token --config x', 'unknown option "--config" (there is --loud, --help, --version)'],
    ['--config', '--config needs a value: --config <file>'],
    ['--config=', '--config needs a value: --config <file>'],
    ['token --loud=very', '--loud takes no value'],
    ['serve now', '"now" is one argument too many'],
  ])('%j is refused in one line', (line, detail) => {
    expect(parse(line)).toEqual({ kind: 'fault', detail });
  });
});

describe('a command with an argument', () => {
  const verbs = { lint: { meaning: 'check', flags: VERBS.serve.flags, argument: 'file' } };
  const parse = (line: string) => parseCommand(line.split(' '), verbs, 'lint');

  it('takes it before and after its options', () => {
    const command = { kind: 'verb', verb: 'lint', flags: { config: 'c' }, argument: 'a.ttl' };
    expect(parse('lint a.ttl --config c')).toEqual(command);
    expect(parse('lint --config c a.ttl')).toEqual(command);
  });

  it.each([
    ['lint', 'lint needs an argument: lint <file>'],
    ['lint a.ttl b.ttl', '"b.ttl" is one argument too many'],
  ])('%j is refused', (line, detail) => {
    expect(parse(line)).toEqual({ kind: 'fault', detail });
  });

  it('may leave it to the user, or name the choices', () => {
    const init = { init: { meaning: 'write', flags: {}, argument: 'file', optional: true } };
    expect(parseCommand(['init'], init, 'init')).toEqual({ kind: 'verb', verb: 'init', flags: {} });
    expect(helpText('node-x', init, 'init')).toMatch(/^node-x init \[file\]: write\n/);
    const paint = { paint: { meaning: 'paint', flags: {}, argument: 'colour', choices: ['green', 'blue'] } };
    expect(parseCommand(['paint', 'blue'], paint, 'paint')).toMatchObject({ argument: 'blue' });
    const detail = 'unknown colour "geen", did you mean "green"? (there is green, blue)';
    expect(parseCommand(['paint', 'geen'], paint, 'paint')).toEqual({ kind: 'fault', detail });
  });

  it('is shown with it', () => {
    expect(helpText('node-x', verbs, 'lint')).toMatch(/^node-x lint <file>: check\n/);
  });
});

describe('the help', () => {
  it('lists all commands with all options', () => {
    expect(helpText('node-x', VERBS)).toBe(
      [
        'Usage: node-x [command] [options]',
        '',
        '  serve  run',
        '  token  print a token',
        '',
        '  --config <file>  the configuration',
        '  -l, --loud       shout',
        '  -h, --help       show this and exit',
        '  --version        print the version and exit',
      ].join('\n'),
    );
  });

  it('of one command shows its options only', () => {
    const text = helpText('node-x', VERBS, 'token');
    expect(text).toContain('node-x token: print a token');
    expect(text).toContain('--loud');
    expect(text).not.toContain('--config');
  });
});
