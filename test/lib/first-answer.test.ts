import { describe, expect, it } from 'vitest';
import { firstAnswer } from '../../src/lib/first-answer.js';
import { VirtualClock } from '../support/virtual-clock.js';

const TIMES = { pauseMs: 100, silenceMs: 1_000 };
const SILENT = () => new Promise<string>(() => undefined);

/** Lets everything happen that needs no time. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

function asking(answers: readonly (() => Promise<string>)[]) {
  const clock = new VirtualClock();
  const begun: number[] = [];
  const discarded: string[] = [];
  const asked = answers.map((answer, i) => () => {
    begun.push(i);
    return answer();
  });
  const discard = (late: string) => discarded.push(late);
  const answer = firstAnswer(asked, { ...TIMES, clock, discard });
  answer.catch(() => undefined);
  const pass = async (ms: number) => {
    await settle();
    clock.pass(ms);
    await settle();
  };
  return { answer, begun, discarded, pass, clock };
}

const refusing = (why: string) => () => Promise.reject(new Error(why));

describe('the first answer', () => {
  it('of who answers at once is taken without asking anybody else', async () => {
    const { answer, begun, clock } = asking([async () => 'a', async () => 'b']);
    expect(await answer).toBe('a');
    expect([begun, clock.sleeping]).toEqual([[0], 0]);
  });

  it('comes at once from the next one when one refuses', async () => {
    const { answer, begun } = asking([refusing('no'), async () => 'b', SILENT]);
    expect(await answer).toBe('b');
    expect(begun).toEqual([0, 1]);
  });

  it('does not wait for those that say nothing', async () => {
    const { answer, begun, pass } = asking([SILENT, refusing('no'), async () => 'c']);
    await pass(99);
    expect(begun).toEqual([0]);
    await pass(1);
    expect(await answer).toBe('c');
  });

  it('may come late, and later ones are discarded', async () => {
    const resolve: ((answer: string) => void)[] = [];
    const slow = () => new Promise<string>((done) => resolve.push(done));
    const { answer, discarded, pass } = asking([slow, slow]);
    await pass(100);
    await pass(900);
    resolve[1]?.('b');
    expect(await answer).toBe('b');
    resolve[0]?.('a');
    await settle();
    expect(discarded).toEqual(['a']);
  });

  it('fails with what each says, when nothing more is heard of those that say nothing', async () => {
    const { answer, pass } = asking([SILENT, refusing('no'), refusing('never')]);
    await pass(100);
    await pass(999);
    await pass(1);
    const failure: unknown = await answer.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AggregateError);
    expect((failure as AggregateError).errors.map(({ message }) => message)).toEqual([
      'it says nothing',
      'no',
      'never',
    ]);
  });
});
