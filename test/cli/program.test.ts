import { expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';

/** What the program says to arguments that need no command run, and the exit code that it asks for. */
async function answerTo(args: readonly string[]): Promise<{ exitCode: number; said: string }> {
  let said = '';
  const write = (text: string) => {
    said += text;
  };
  const program = createProgram({ say: write, note: write });
  for (const command of [program, ...program.commands])
    command.configureOutput({ writeOut: write, writeErr: write });
  const { exitCode } = await program.parseAsync(args, { from: 'user' }).then(
    () => ({ exitCode: 0 }),
    (error: { exitCode: number }) => error,
  );
  return { exitCode, said };
}

it.each([
  [['chekc'], "unknown command 'chekc' (there is serve, check, "],
  [['serve', 'now'], "unknown command 'now'"],
  [['--confg', 'x'], "unknown option '--confg'\n(Did you mean --config?)"],
  [['token', '--config'], "option '--config <file>' argument missing"],
  [['lint'], "missing required argument 'url or file'"],
  [['publish', '--to', 'x', '--wait', '2 minutes'], "option '--wait <time>' argument '2 minutes' is invalid"],
  [['token', '--holder', 'alice'], "option '--holder <uri>' argument 'alice' is invalid"],
  [['token', '--holder', 'urn:a', '--expires', '0d'], "option '--expires <time>' argument '0d' is invalid"],
])('%j cannot be understood: says why, and asks for exit code 2', async (args, why) => {
  expect(await answerTo(args)).toEqual({ exitCode: 2, said: expect.stringContaining(`error: ${why}`) });
});

it('--help names the commands, and of each command its options; that is no misuse', async () => {
  const ofAll = await answerTo(['--help']);
  expect(ofAll).toEqual({ exitCode: 0, said: expect.stringMatching(/^ {2}serve [\s\S]*^ {2}repair /m) });
  expect(ofAll.said).not.toContain('--config');
  const ofOne = await answerTo(['check', '--help']);
  expect(ofOne).toEqual({ exitCode: 0, said: expect.stringContaining('--config <file>') });
});
