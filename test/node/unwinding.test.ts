import { describe, expect, it } from 'vitest';
import { Unwinding } from '../../src/node/unwinding.js';

describe('unwinding', () => {
  it('stops in reverse order, each step once, also when one of them fails', async () => {
    const unwinding = new Unwinding();
    const stopped: string[] = [];
    await unwinding.defer('the first', () => stopped.push('first'));
    await unwinding.defer('the second', () => Promise.reject(new Error('stuck')));
    await unwinding.defer('the third', async () => stopped.push('third'));
    await expect(unwinding.unwind()).rejects.toThrow('the second did not stop');
    await unwinding.unwind();
    expect(stopped).toEqual(['third', 'first']);
  });

  it('stops what has a place reserved in its turn, or at once after the end', async () => {
    const unwinding = new Unwinding();
    const stopped: string[] = [];
    const [early, late] = [unwinding.reserve('the early one'), unwinding.reserve('the late one')];
    await unwinding.defer('the last', () => stopped.push('last'));
    await early(() => stopped.push('early'));
    await unwinding.unwind();
    expect(stopped).toEqual(['last', 'early']);
    await expect(late(() => stopped.push('late'))).rejects.toThrow('stopped while starting');
    expect(stopped).toEqual(['last', 'early', 'late']);
  });
});
